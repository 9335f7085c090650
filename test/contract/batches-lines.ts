import { CHANGES } from '../../src/access/index.js';
import { ERRORS, LINE_ERRORS } from '../../src/api/index.js';
import { BatchKey, line, lines, newKey, outcomes } from '../support/contract/batch-calls.js';
import { BUILDS, type Service } from '../support/contract/service.js';
import { type ContractTest, rule } from '../support/contract/suite.js';
import { INVALID, options } from './invalid-lines.js';

interface Fault {
  readonly line: number;
  readonly type: string;
  readonly error: string;
}

/** The errors of a file, for a key that may use one model only. */
async function faultsOf(service: Service, file: readonly string[]): Promise<readonly Fault[]> {
  const { json } = await new BatchKey(service, await restricted(service)).submit(file);
  return json.errors;
}

const RESTRICTED = new WeakMap<Service, string>();
async function restricted(service: Service): Promise<string> {
  const known = RESTRICTED.get(service);
  if (known !== undefined) return known;
  const { token, workspace } = await service.account('batch-lines');
  await service.administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-12b'] }));
  RESTRICTED.set(service, token);
  return token;
}

/** Contract 7.1 `line types`. */
const LINE_TYPES = LINE_ERRORS.map((type) =>
  rule(`7.1 line ${type}: each by its number, and none without`, async (t, service) => {
    const bad = INVALID[type].map((each, at) => each.replace('"custom_id":"a"', `"custom_id":"a${at}"`));
    const file = [line('first'), ...bad.flatMap((each, at) => [each, line(`good${at}`)])];
    const faults = await faultsOf(service, file);
    t.strictSame(
      faults.map((fault) => [fault.line, fault.type]),
      bad.map((_, at) => [2 * at + 2, type]),
    );
    for (const fault of faults) {
      t.strictSame(Object.keys(fault), ['line', 'type', 'error'], 'contract 2.9');
      t.match(fault.error, /^[A-Z`].+\.$/s, 'one sentence');
    }
  }),
);

/** Contract 2.5, and the rules about lines of contract 2.9 and contract 8. */
const LINES: readonly ContractTest[] = [
  rule('2.5 custom_id: 1 to 64 letters, digits, _ . : -, unique', async (t, service) => {
    const { batches } = await newKey(service, 'batch-custom-ids');
    const ids = ['a', 'Z9_.:-', '.', '-', '0', 'a'.repeat(64), 'A', '__proto__', 'constructor'];
    const results = await batches.answered(ids.map((id) => line(id)));
    t.strictSame(
      results.map(({ custom_id }) => custom_id),
      ids,
    );
    const faults = await faultsOf(service, [
      line('a'),
      line('b', { state: null }),
      line('a'),
      line('b'),
      line('a'),
    ]);
    t.strictSame(
      faults.map((fault) => [fault.line, fault.type]),
      [
        [2, 'missing'],
        [3, 'duplicate_custom_id'],
        [4, 'duplicate_custom_id'],
        [5, 'duplicate_custom_id'],
      ],
      'also one that an invalid line has taken',
    );
  }),
  rule(
    '2.5 raw_probabilities, label_mass, option_rotations: as the headers of a live request',
    async (t, service) => {
      const { batches } = await newKey(service, 'batch-diagnostics');
      const question = { type: 'choice', instructions: 'Which?', criteria: ['a', 'b', 'c'] };
      const body = {
        questions: { n: { type: 'noul' }, c: question, s: { type: 'score', criteria: ['l', 'h'] } },
      };
      const asked = [
        {},
        { raw_probabilities: true },
        { label_mass: true },
        { option_rotations: 3 },
        { raw_probabilities: true, label_mass: true, option_rotations: 2 },
        { raw_probabilities: false, label_mass: false, option_rotations: 1 },
        { raw_probabilities: null, label_mass: null, option_rotations: null },
      ];
      const id = await batches.made(asked.map((each, at) => line(`l${at}`, { ...body, ...each })));
      await batches.finished(id);
      const texts = (await batches.results(id)).text.split('\n').slice(0, -1);
      const headerOf = {
        raw_probabilities: 'service-raw-probabilities',
        label_mass: 'service-label-mass',
        option_rotations: 'service-option-rotations',
      };
      for (const [at, fields] of asked.entries()) {
        const headers = Object.fromEntries(
          Object.entries(fields).flatMap(([name, value]) =>
            value === null ? [] : [[headerOf[name as keyof typeof headerOf], String(value)]],
          ),
        );
        const live = await service.post({ state: 'x', ...body }, { headers });
        t.match(texts[at], `"response":${live.text},"usage":`, JSON.stringify(fields));
        t.strictSame(JSON.parse(texts[at] as string).usage, { ...live.json.usage, batch: true });
      }
      const plain = texts[0]?.replace('"l0"', '""');
      for (const at of [5, 6])
        t.equal(texts[at]?.replace(`"l${at}"`, '""'), plain, 'the bytes of a usual line');
    },
  ),
  rule('2.5 model: an id of the list or a build, named by each line', async (t, service) => {
    const { batches } = await newKey(service, 'batch-models');
    const models = [...Object.keys(BUILDS), ...Object.values(BUILDS), 'decider-g-12b'];
    const id = await batches.made(models.map((model, at) => line(`l${at}`, { model })));
    const results = await batches.collected(id);
    const builds = [...Object.values(BUILDS), ...Object.values(BUILDS), BUILDS['decider-g-12b']];
    t.strictSame(
      results.map(({ model, response }) => [model, response.model]),
      builds.map((build) => [build, build]),
    );
  }),
  rule('2.5 mixed types: one line with 16 questions of every type', async (t, service) => {
    const { batches } = await newKey(service, 'batch-mixed');
    const types = [
      { type: 'noul' },
      { type: 'choice', criteria: ['a', 'b'] },
      { type: 'score', criteria: ['l', 'h'] },
    ];
    const questions = Object.fromEntries(options(16).map((name, at) => [name, types[at % 3]]));
    const [result] = await batches.answered([line('a', { questions })]);
    t.strictSame(
      Object.values<{ type: string }>(result?.response.answers).map(({ type }) => type),
      options(16).map((_, at) => types[at % 3]?.type),
    );
  }),
  rule('2.5 state, image_budget: as in a live request', async (t, service) => {
    const { batches } = await newKey(service, 'batch-states');
    const states = ['text', '', {}, { a: [1, null] }, [], 7, false];
    const budgets = [undefined, 70, 140, 280];
    const results = await batches.answered([
      ...states.map((state, at) => line(`s${at}`, { state })),
      ...budgets.map((image_budget, at) => line(`b${at}`, { image_budget, assets: at % 2 ? {} : undefined })),
      line('more', { stream: true, temperature: 0 }),
    ]);
    t.strictSame(new Set(outcomes(results)), new Set(['answered']));
    const { json } = await batches.submit([line('a', { assets: null }), line('b', { image_budget: null })]);
    t.strictSame(
      json.errors.map(({ type }: { type: string }) => type),
      ['invalid_assets', 'invalid_image_budget'],
    );
  }),
  rule('2.9 invalid batch: up to 100 failures are listed, all are counted', async (t, service) => {
    const { batches } = await newKey(service, 'batch-failures');
    for (const [bad, listed] of [
      [1, 1],
      [100, 100],
      [101, 100],
      [2_000, 100],
    ] as const) {
      const { status, json } = await batches.submit([
        ...lines(7),
        ...Array.from({ length: bad }, (_, at) => line(`b${at}`, { state: null })),
      ]);
      t.strictSame(Object.keys(json).sort(), ['error', 'errors', 'invalid_lines', 'type']);
      t.strictSame([status, json.type, json.invalid_lines], [422, 'invalid_batch', bad]);
      t.strictSame(
        json.errors.map((each: Fault) => each.line),
        Array.from({ length: listed }, (_, at) => at + 8),
        'the first of them, in their order',
      );
    }
    t.strictSame((await batches.list()).json.data, []);
  }),
  rule('2.9 invalid batch: a line’s strings are not repeated', async (t, service) => {
    const secret = 'an-unmistakable-text';
    const { batches } = await newKey(service, 'batch-secrets');
    const { json, text } = await batches.submit([
      `{"${secret}`,
      secret,
      line(`${secret} !`),
      line('a', { state: secret, questions: { q: { type: secret } } }),
      line('b', { state: secret, assets: { cat: { data_base64: secret } } }),
    ]);
    t.equal(json.invalid_lines, 5);
    t.notMatch(text, secret);
  }),
  rule('7.1 line types: the types of the same errors in live requests', async (t, service) => {
    const token = await restricted(service);
    for (const type of LINE_ERRORS) {
      const [each = ''] = INVALID[type];
      // A line with a task is a live request of the task.
      const path = type === 'task_not_found' ? '/v1/tasks/none/decide' : '/v1/decide';
      const { status, json } = await service.post(each, { token, path });
      // Errors that only batches have: the same line as a live request is valid, or invalid as a whole.
      if (type.endsWith('custom_id') || type === 'model_required') t.equal(status, 200, type);
      else
        t.strictSame(
          [status, json.type],
          type === 'invalid_line'
            ? [400, 'invalid_request']
            : [ERRORS[type as keyof typeof ERRORS].status, type],
        );
    }
  }),
  rule('8 limit lines: 50,000 in a batch, blank lines not counted', async (t, service) => {
    const { batches } = await newKey(service, 'batch-many-lines');
    const all = Array.from({ length: 50_001 }, (_, at) => line(`l${at}`));
    const { status, json } = await batches.submit(all);
    t.strictSame([status, json.type, json.max_lines], [413, 'too_many_lines', 50_000]);
    t.strictSame(Object.keys(json).sort(), ['error', 'max_lines', 'type']);
    all.splice(7, 1, '', '  ');
    const taken = await batches.submit(all);
    t.strictSame([taken.status, taken.json.lines], [200, 50_000]);
    await batches.cancel(taken.json.id);
    const results = await batches.collected(taken.json.id);
    t.equal(results.length, 50_000);
    t.equal(results.at(-1)?.custom_id, 'l50000');
  }),
];

export const BATCHES_LINES = [...LINES, ...LINE_TYPES];
