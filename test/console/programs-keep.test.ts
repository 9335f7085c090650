import { spawnSync } from 'node:child_process';
import { test } from 'tap';
import { type Draft, option, question } from '../../src/console/ask/ask-draft.js';
import { codeOf } from '../../src/console/ask/code.js';
import { decisionsRequest } from '../../src/console/ask/decisions-request.js';
import { EXAMPLES, FIRST_DRAFT } from '../../src/console/ask/examples.js';
import { buildRequest } from '../../src/console/ask/request.js';
import { typedRequest } from '../../src/console/ask/typed-request.js';
import { indented, type JsonNode } from '../../src/console/json/json-node.js';
import { readJson } from '../../src/console/json/read-json.js';
import { HOSTILE, imageDraft } from '../support/console/drafts.js';
import { random, seedFromEnvironment } from '../support/random.js';

// The programs that the console shows send numbers as they are written and keys in their order.

const NUMBERS =
  `0 -0 5 -7 1.0 1.10 0.1 -0.5 0.30000000000000004 0.30000000000000001 1e5 1E5 1e+5 1e21 1e+21 1e-7 1e-07 1e400
  -1e400 0.00001 0.0001 12345678901234567890 123456789012345680000 90071992547409931 1000000000000000000000 1.5e300
  9007199254740992.5 123456789012345.67 12345678901234567.5 ${'9'.repeat(4_300)} ${'9'.repeat(4_301)}`.split(
    /\s+/,
  );
const NAMES = [
  '10',
  '2',
  '01',
  '-1',
  '4294967294',
  '4294967295',
  'a',
  'b',
  '',
  "'''",
  `$${'{a}'}`,
  '`',
  '\\',
  '\u2028',
  ...HOSTILE,
];

const seed = seedFromEnvironment();
const next = random(seed);
const oneOf = next.pick;
const some = <Value>(make: () => Value): Value[] => Array.from({ length: next.integer(4) }, make);

/** JSON as a caller may write it: any spelling of a number, keys in any order, and keys that are repeated. */
function written(depth: number): string {
  const kind = next.integer(depth > 2 ? 3 : 5);
  if (kind === 0) return oneOf(['true', 'false', 'null']);
  if (kind === 1) return oneOf(NUMBERS);
  if (kind === 2) return JSON.stringify(oneOf(NAMES));
  if (kind === 3) return `[${some(() => written(depth + 1)).join()}]`;
  return `{${some(() => `${JSON.stringify(oneOf(NAMES))}: ${written(depth + 1)}`).join()}}`;
}

function choiceCriteria(): string {
  const labels = [oneOf(NAMES), ...some(() => oneOf(NAMES))].map((name) => JSON.stringify(name));
  if (next.number() < 0.5) return `[${labels.join()}]`;
  return `{${labels.map((label) => `${label}: ${oneOf(['null', '"x"', '1.10'])}`).join()}}`;
}

function draft(): Draft {
  const sides = oneOf([
    'null',
    '{"yes": "a", "no": null}',
    '{"true": null, "false": "b"}',
    '{"yes": null, "true": "b"}',
  ]);
  const questions = `{${JSON.stringify(oneOf(NAMES))}: {"type": "choice", "criteria": ${choiceCriteria()}},
    ${JSON.stringify(oneOf(NAMES))}: {"type": "noul", "criteria": ${sides}}}`;
  const state = { stateKind: 'json', state: written(0) } as const;
  return { ...FIRST_DRAFT, ...state, questionsKind: 'json', questionsJson: questions };
}

const DRAFTS: readonly Draft[] = [
  ...EXAMPLES.filter((each) => !each.readsImages).map((each) => ({ ...FIRST_DRAFT, ...each.draft() })),
  { ...FIRST_DRAFT, questions: [question('q', 'choice', '', [option('10', 'ten'), option('2', 'two')])] },
  ...NUMBERS.map((state): Draft => ({ ...FIRST_DRAFT, stateKind: 'json', state })),
  ...Array.from({ length: 300 }, draft),
];

/** The request in the form of the client library, in which labels are an object and sides are `true` and `false`. */
const normal = (request: JsonNode): string => indented(typedRequest(request));

const program = (language: 'typescript' | 'openai' | 'python', each: Draft): string =>
  codeOf(language, buildRequest(each), 'http://h');

/** What a program in JavaScript sends: a text as it is, or a value as clients write it. */
function sentByJavaScript(
  code: string,
  argument: RegExp,
): { readonly text: string; readonly isText: boolean } {
  const body = /^const body = (`[\s\S]*`);$/m.exec(code)?.[1];
  if (body !== undefined) return { text: new Function(`return ${body}`)(), isText: true };
  const literal = argument.exec(code)?.[1]?.replaceAll('] as never', ']');
  return { text: JSON.stringify(new Function(`return ${literal}`)()), isText: false };
}

test('the programs in JavaScript send numbers as written and keys in their order', async (t) => {
  t.comment(`seed ${seed}`);
  for (const each of DRAFTS) {
    const request = buildRequest(each);
    const typed = sentByJavaScript(program('typescript', each), /systemOne\(([\s\S]*)\);\nconsole/);
    if (typed.isText) t.equal(typed.text, indented(request.node));
    else t.equal(normal(readJson(typed.text)), normal(request.node));
    const openai = sentByJavaScript(program('openai', each), /create\(([\s\S]*)\);\nconsole/);
    const expected = decisionsRequest(request, () => ({ kind: 'literal', source: 'null' }));
    t.equal(indented(readJson(openai.text)), indented(expected));
  }
});

const hasPython = spawnSync('python3', ['--version']).error === undefined;
const skip = !hasPython && 'SKIPPED: python3 is not installed; the programs for it are NOT tested';

test('the programs in Python send numbers as written and keys in their order', { skip }, async (t) => {
  t.comment(`seed ${seed}`);
  const print = 'print(json.dumps(request if isinstance(request, str) else json.dumps(request)))\n';
  const input = DRAFTS.map((each) => program('python', each).replace(/^call = [\s\S]*/m, print)).join('');
  const run = spawnSync('python3', ['-'], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  t.equal(run.stderr, '');
  const sent = run.stdout.trimEnd().split('\n');
  t.equal(sent.length, DRAFTS.length);
  for (const [at, each] of DRAFTS.entries()) {
    t.equal(indented(readJson(JSON.parse(sent[at] as string))), indented(buildRequest(each).node));
  }
});

test('a program uses values where these are sent as they are written', async (t) => {
  const forms = (each: Draft) =>
    (['typescript', 'openai', 'python'] as const).map((language) =>
      /^const body = `|^request = '''/m.test(program(language, each)) ? 'text' : 'values',
    );
  const json = (state: string): Draft => ({ ...FIRST_DRAFT, stateKind: 'json', state });
  t.strictSame(forms(FIRST_DRAFT), ['values', 'values', 'values']);
  t.strictSame(forms(json('{"a": [1, -2.5, true]}')), ['values', 'values', 'values']);
  t.strictSame(forms(json('{"a": 1.10}')), ['text', 'text', 'text']);
  t.strictSame(forms(json('{"a": 1.0}')), ['text', 'text', 'text']);
  t.strictSame(forms(json('{"10": 1, "2": 12345678901234567890}')), ['text', 'text', 'values']);
});

test('a program with a text reads the images into it', { skip }, async (t) => {
  const each = { ...imageDraft, stateKind: 'json', state: '["[a.png]", 1.10, "it\'s `$`{ \\\\"]' } as const;
  const { node, images } = buildRequest(each);
  const data = images.map(() => 'AA==');
  const body = /^const body = (`[\s\S]*`);$/m.exec(program('typescript', each))?.[1];
  const sent = readJson(new Function('data1', `return ${body}`)(...data));
  t.match(JSON.parse(indented(sent)).assets, { '[a.png]': { format: 'png', data_base64: 'AA==' } });
  t.match(indented(sent), indented(node).slice(0, indented(node).indexOf('"assets"')));
  const input = `data1 = "AA=="\n${/^request = [\s\S]*?'''$/m.exec(program('python', each))?.[0]}\nprint(request, end="")`;
  t.equal(spawnSync('python3', ['-'], { input, encoding: 'utf8' }).stdout, indented(sent));
});
