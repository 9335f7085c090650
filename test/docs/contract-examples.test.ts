import { type Test, test } from 'tap';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { checkLines, type LinesRefusal } from '../../src/batch/ingest/check-batch-file.js';
import { checkLine } from '../../src/batch/ingest/check-batch-line.js';
import { ANY_TASK } from '../../src/batch/ingest/file-tasks.js';
import { answeredLine, unansweredLine } from '../../src/batch/result-line.js';
import { ANY_MODEL, answer, answerJson, checkRequest, openBody } from '../../src/decide/index.js';
import type { CatalogBuild } from '../../src/engine/index.js';
import {
  BatchSchema,
  DecideResponseSchema,
  ErrorSchema,
  LimitsSchema,
  ModelListSchema,
  SubmitResponseSchema,
  TaskSchema,
  UsageSchema,
} from '../../src/openapi/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { read } from '../support/pages.js';
import { CONTRACT } from './contract-page.js';

/** The fenced blocks of the page that hold JSON, by what their first line says they are. */
const EXAMPLES = [...read(CONTRACT).matchAll(/^```(jsonl?)(?: (\w+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language, kind, text]) => ({ kind: kind ?? (language as string), text: text as string }),
);
const ofKind = (kind: string) => EXAMPLES.filter((each) => each.kind === kind).map(({ text }) => text);

const IMAGE_MODEL = { id: 'any', model: { id: 'any', reads_images: true } } as CatalogBuild;

/** Reads a request as the server does. Throws ApiError. */
function checked(text: string, files: ReadonlyMap<string, Uint8Array> = new Map()) {
  const terms = { model: null, files, format: 'decide', allowedModels: null } as const;
  return checkRequest(openBody(Buffer.from(text)), terms, { find: () => IMAGE_MODEL });
}

function hasSchema(t: Test, schema: TSchema, value: object): void {
  t.ok(Compile(schema).Check(value), JSON.stringify(value));
}

/** The same, and the fields of the schema in its order. */
function isWhole(t: Test, schema: TSchema & { properties: object }, value: object): void {
  hasSchema(t, schema, value);
  t.strictSame(Object.keys(value), Object.keys(schema.properties));
}

interface ResultLine {
  readonly custom_id: string;
  readonly model: string;
  readonly status: number | null;
  readonly response?: object;
  readonly error?: { readonly error: string; readonly type: string };
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

/** A result line as the server writes it. */
function written({ custom_id: customId, model, status, response, error, usage }: ResultLine): string {
  if (error !== undefined) {
    return unansweredLine({ customId, model }, { status, type: error.type, message: error.error });
  }
  return answeredLine(customId, {
    json: JSON.stringify(response),
    build: model,
    calibration: '',
    usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
    timing: { prepare: 0, queue: 0, engine: 0 },
    probabilities: [],
    begun: { prepare: 0, queue: 0 },
    isShared: false,
  });
}

/** What every example of a kind must be. */
const CHECKS: Readonly<Record<string, (t: Test, text: string) => unknown>> = {
  request: (t, text) => t.doesNotThrow(() => checked(text)),
  response: (t, text) => hasSchema(t, DecideResponseSchema, JSON.parse(text)),
  jsonl: async (t, text) => t.equal(await checkLines(Buffer.from(text)), null),
  batch: (t, text) => isWhole(t, BatchSchema, JSON.parse(text)),
  submission: (t, text) => isWhole(t, SubmitResponseSchema, JSON.parse(text)),
  results: (t, text) => {
    for (const line of JSON.parse(text)) t.equal(written(line), JSON.stringify(line));
  },
  models: (t, text) => isWhole(t, ModelListSchema, JSON.parse(text)),
  limits: (t, text) => isWhole(t, LimitsSchema, JSON.parse(text)),
  usage: (t, text) => isWhole(t, UsageSchema, JSON.parse(text)),
  task: (t, text) => isWhole(t, TaskSchema, JSON.parse(text)),
  error: (t, text) => hasSchema(t, ErrorSchema, JSON.parse(text)),
  webhook: (t, text) => t.strictSame(Object.keys(JSON.parse(text)), ['id', 'status']),
};

test('every example of the contract is what the server reads or writes', async (t) => {
  t.strictSame([...new Set(EXAMPLES.map(({ kind }) => kind))].sort(), Object.keys(CHECKS).sort());
  for (const { kind, text } of EXAMPLES) await CHECKS[kind]?.(t, text);
});

test('the numbers of the first response follow from its probabilities', async (t) => {
  const { questions } = checked(ofKind('request')[0] as string).request;
  const { answers, usage } = JSON.parse(ofKind('response')[0] as string);
  t.strictSame(
    Object.keys(answers),
    questions.map(({ name }) => name),
  );
  t.equal(usage.output_tokens, questions.length);
  for (const question of questions) {
    const { noul, probabilities = { yes: noul, no: 1 - noul } } = answers[question.name];
    const logits = Object.values<number>(probabilities).map(Math.log);
    t.equal(answerJson(answer(question, logits, 1)), JSON.stringify(answers[question.name]));
  }
});

test('the estimated cost of the batch is that of its lines', async (t) => {
  const { prices } = loadSettings({}, undefined).billing;
  const lines = (ofKind('jsonl')[0] as string).trimEnd().split('\n');
  let [tokens, amount] = [0, 0n];
  for (const line of lines) {
    const { tokens: estimate } = checkLine(
      Buffer.from(line),
      { catalog: ANY_MODEL, allowed: null, tasks: ANY_TASK },
      () => {},
    );
    tokens += estimate;
    amount += BigInt(estimate) * (prices.get(JSON.parse(line).model)?.batch as bigint);
  }
  for (const text of [...ofKind('batch'), ...ofKind('submission')]) {
    const { estimated_cost: cost, lines: count } = JSON.parse(text);
    t.strictSame([count, cost.input_tokens, cost.amount], [lines.length, tokens, Number(amount) / 1e12]);
  }
});

test('the error examples are what the server answers', async (t) => {
  const [twice, invalid] = ofKind('error').map((text) => JSON.parse(text));
  const question = { type: 'choice', criteria: ['billing', 'billing'] };
  const refused = () => checked(JSON.stringify({ state: 'x', questions: { team: question } }));
  t.throws(refused, { type: twice.type, message: twice.error });
  const [line] = (ofKind('jsonl')[0] as string).split('\n') as [string];
  const file = `${line}\n{"custom_id":"case-2"}`;
  const { type, message: error, lines: errors } = (await checkLines(Buffer.from(file))) as LinesRefusal;
  t.strictSame({ error, type, errors, invalid_lines: 1 }, invalid);
});

test('the multipart example names its file part', async (t) => {
  const [, request = '', part = ''] = /-F 'request=(\{.*\})' \\\n {2}-F '(\w+)=@/.exec(read(CONTRACT)) ?? [];
  t.doesNotThrow(() => checked(request, new Map([[part, new Uint8Array()]])));
});
