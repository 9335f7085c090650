import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { PAGE_BATCHES } from '../../src/client/batch-calls.js';
import { BATCH_FILE_BYTES_MAX, BATCH_LINES_MAX } from '../../src/client/batch-lines.js';
import {
  choice,
  type DecideOptions,
  Decider,
  type DecisionsRequest,
  type DecisionsResponse,
  noul,
  score,
} from '../../src/client/index.js';
import { refuses } from '../support/client/raw-stub.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';
import { ROOT } from '../support/sources.js';
import { until } from '../support/until.js';

const server = shared(async (t) => {
  const models = modelsFolder(dataFolder(t), {}, {}, 'gemma4v');
  return startTestServer(t, { DECIDER_ENGINE_EXACT: 'true' }, models);
});
const tokenOf = ({ headers }: Awaited<ReturnType<typeof server>>) =>
  headers.authorization.replace('Bearer ', '');

async function connected(own = {}) {
  const running = await server();
  return { running, decider: new Decider({ url: running.url, token: tokenOf(running), ...own }) };
}

const questions = {
  angry: noul('Is the customer angry?'),
  team: choice('Whose case?', ['billing', 'sales']),
};
function* lines(count: number, from = 0) {
  for (let at = from; at < from + count; at += 1) {
    yield { custom_id: `case-${at}`, model: 'tiny', state: `Case ${at}`, questions };
  }
}
async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test('decide: every kind of question, raw probabilities, and what the exchange was', async (t) => {
  const { decider, running } = await connected();
  const request = {
    state: { a: 1 },
    questions: { ...questions, urgent: score('How urgent?', ['low', 'high']) },
  };
  const { info, ...plain } = await decider.decide(request);
  t.strictSame(plain, await running.ask(request));
  t.match(info.requestId, /^req_\w{24}$/);
  t.equal(info.attempts, 1);
  t.match(info.headers.get('x-ratelimit-remaining-requests'), /^\d+$/);
  const withRaw = { rawProbabilities: true } as const satisfies DecideOptions;
  const { answers } = await decider.decide(request, withRaw);
  t.strictSame(Object.keys(answers.team.raw_probabilities), ['billing', 'sales']);
  const massed = await decider.decide(request, { labelMass: true, optionRotations: 2 });
  t.ok(massed.answers.angry.label_mass > 0 && massed.answers.angry.label_mass <= 1);
  t.ok(massed.usage.input_tokens > plain.usage.input_tokens, 'further orders are charged');
  await refuses(t, decider.decide(request, { optionRotations: 27 }), { type: 'invalid_request' });
});

test('decisions: answers in the order of the questions, and errors of their own form', async (t) => {
  const { decider } = await connected();
  const request: DecisionsRequest = {
    model: 'tiny',
    input: 'My card was charged twice!',
    questions: [
      { type: 'predicate', name: 'angry' },
      { type: 'choice', choices: [{ value: 'a' }, { value: true }] },
    ],
  };
  const { answers, info }: DecisionsResponse & { info: { attempts: number } } =
    await decider.decisions(request);
  t.match(answers, [
    { type: 'predicate', name: 'angry', probability: Number },
    { type: 'choice', name: null },
  ]);
  t.equal(info.attempts, 1);
  await refuses(t, decider.decisions({ ...request, questions: [] }), {
    type: 'invalid_questions',
    status: 400,
    field: 'questions',
  });
});

test('decide: images of every kind, inline and as a form, give the same answer', async (t) => {
  const { decider } = await connected();
  const file = readFileSync(join(ROOT, 'examples/parcel.png'));
  const large = Buffer.concat([file, Buffer.alloc(80 * 1024)]);
  const buffer = new Uint8Array(file).buffer;
  const sources = [file, new Uint8Array(file), buffer, new Blob([file]), Promise.resolve(file), large];
  const seen = new Set<string>();
  for (const source of sources) {
    const request = { state: 'Photo: [photo]', images: { '[photo]': source }, questions };
    seen.add(JSON.stringify((await decider.decide(request)).answers));
  }
  t.equal(seen.size, 1);
  const gif = { state: '[photo]', images: { '[photo]': Buffer.from('GIF89a') }, questions };
  await refuses(t, decider.decide(gif), { type: 'unsupported_image_format', status: null });
});

test('errors: the type, the status, the id and the invalid lines', async (t) => {
  const { decider, running } = await connected();
  await refuses(t, decider.decide({ state: 'x', questions: {} }), {
    name: 'DeciderError',
    type: 'invalid_questions',
    status: 422,
    requestId: /^req_/,
    isTemporary: false,
    outcomeUnknown: false,
  });
  const bad = [...lines(1), { custom_id: 'a b', model: 'tiny', state: 'x', questions }];
  await refuses(t, decider.batches.submit(bad), {
    type: 'invalid_batch',
    invalidLines: 1,
    lines: [{ line: 2, type: 'invalid_custom_id' }],
  });
  await refuses(t, new Decider({ url: running.url, token: 'dk_wrong' }).limits(), { type: 'unauthorized' });
  await refuses(t, new Decider({ url: running.url }).limits(), { type: 'unauthorized' });
  t.equal((await new Decider({ url: `${running.url}/` }).models()).data[0]?.id, 'tiny');
});

test('batches: submit, wait, results, list, and the same batch under the same key', async (t) => {
  const { decider } = await connected();
  const { batches } = decider;
  const { id } = await batches.submit(lines(30), { idempotencyKey: 'a' });
  const progress: number[] = [];
  const batch = await batches.wait(id, { pollMs: 5, onProgress: ({ counts }) => progress.push(counts.done) });
  t.equal(progress.at(-1), 30);
  const results = await all(batches.results<typeof questions>(batch));
  t.strictSame(
    results.map(({ custom_id }) => custom_id),
    [...lines(30)].map(({ custom_id }) => custom_id),
  );
  t.ok(results.every(({ response }) => response?.answers.team.choice.match(/^(billing|sales)$/)));
  async function* later() {
    yield* lines(30);
  }
  const again = await all(batches.run(later(), { idempotencyKey: 'a', pollMs: 5 }));
  t.strictSame(again, results, 'a program that runs again goes on with its batch');
  await refuses(t, batches.submit(lines(2), { idempotencyKey: 'a' }), { type: 'idempotency_conflict' });
  t.ok((await all(batches.list())).some((each) => each.id === id));
  await refuses(t, batches.cancel(id), { type: 'batch_finished' });
  const text = [...lines(2)].map((line) => JSON.stringify(line)).join('\n');
  for (const file of [text, Buffer.from(text), new Blob([text])]) {
    const { lines: count } = await batches.submit(file);
    t.equal(count, 2);
  }
  const photo = readFileSync(join(ROOT, 'examples/parcel.png'));
  const asked = { raw_probabilities: true, label_mass: true, option_rotations: 2 };
  const diagnosed = [...lines(1)].map((line) => ({ ...line, ...asked }));
  for await (const { response } of batches.run(diagnosed, { pollMs: 5 })) {
    t.match(response?.answers.team, { raw_probabilities: { billing: Number }, label_mass: Number });
  }
  const pictured = [{ custom_id: 'a', model: 'tiny', state: '[p]', images: { '[p]': photo }, questions }];
  t.match(await all(batches.run(pictured, { pollMs: 5 })), [{ status: 200 }]);
});

test('batches: a list of several pages', async (t) => {
  const { decider } = await connected({
    fetch: (input: URL, init?: RequestInit) => fetch(String(input).replace('limit=100', 'limit=2'), init),
  });
  const before = (await all(decider.batches.list())).length;
  for (const at of [1, 2, 3]) await all(decider.batches.run(lines(1, at * 100), { pollMs: 5 }));
  const found = (await all(decider.batches.list())).map(({ id }) => id);
  t.equal(new Set(found).size, before + 3);
});

test('batches: lines beyond the limits, an endless source and a signal', async (t) => {
  const { decider } = await connected();
  let ended = 0;
  function* endless(state: string) {
    try {
      for (;;) yield { custom_id: 'a', model: 'tiny', state, questions };
    } finally {
      ended += 1;
    }
  }
  await refuses(t, decider.batches.submit(endless('')), { type: 'too_many_lines' });
  await refuses(t, decider.batches.submit(endless('x'.repeat(2 ** 20))), { type: 'body_too_large' });
  t.equal(ended, 2, 'the sources are closed');
  const control = new AbortController();
  async function* silent() {
    yield* lines(1);
    control.abort('enough');
    await new Promise(() => {});
  }
  const { signal } = control;
  t.equal(await decider.batches.submit(silent(), { signal }).catch((error) => error), 'enough');
  function* failing() {
    yield* lines(1);
    throw new Error('of the source');
  }
  await t.rejects(decider.batches.submit(failing()), /of the source/);
});

test('the limits that the client knows are those of the server', (t) => {
  t.equal(BATCH_FILE_BYTES_MAX, LIMITS.decompressedBodyBytes);
  t.equal(BATCH_LINES_MAX, LIMITS.batchLines);
  t.equal(PAGE_BATCHES, LIMITS.batchesListed);
  t.end();
});

test('verifyWebhook: the batch is fetched, whatever the call says', async (t) => {
  const { decider } = await connected();
  const { id } = await decider.batches.submit(lines(1, 900));
  await decider.batches.wait(id, { pollMs: 5 });
  const body = JSON.stringify({ id, status: 'failed' });
  for (const form of [body, Buffer.from(body), { id }]) {
    t.match(await decider.verifyWebhook(form), { id, status: 'done', results_available: true });
  }
  for (const [form, type] of [
    ['', 'invalid_request'],
    ['null', 'invalid_request'],
    [{ id: '../limits' }, 'invalid_request'],
    [`{"id":"${'a'.repeat(5_000)}"}`, 'invalid_request'],
    [{ id: `batch_${'a'.repeat(24)}` }, 'batch_not_found'],
  ] as const) {
    await refuses(t, decider.verifyWebhook(form), { type });
  }
});

test('tasks: a shadow build is compared and promoted', async (t) => {
  const { decider } = await connected();
  const { tasks } = decider;
  const shadow = { model: 'tiny', share: 1 };
  t.match(await tasks.put('shadowed', { questions, shadow }), { shadow: { ...shadow, since: null } });
  await refuses(t, tasks.promote('shadowed'), { type: 'shadow_changed', status: 409 });
  await tasks.decide('shadowed', { state: 'a' });
  const shown = async () => (await tasks.show('shadowed')).shadow;
  await until(async () => (await shown())?.questions.angry?.answers === 1);
  t.equal((await shown())?.questions.angry?.agreement?.value, 1);
  const model = (await shown())?.builds.shadow ?? null;
  await refuses(t, tasks.promote('shadowed', { version: 2 }), { type: 'shadow_changed', status: 409 });
  t.match(await tasks.promote('shadowed', { version: 1, model }), { version: 2, model, shadow: null });
  await refuses(t, tasks.promote('shadowed'), { type: 'no_shadow', status: 409 });
  await tasks.delete('shadowed');
});

test('tasks: made, changed, shown, listed and deleted', async (t) => {
  const { decider } = await connected();
  const made = await decider.tasks.put('mail', { questions, description: 'Mail', target_error: 0.1 });
  t.match(made, { name: 'mail', version: 1, description: 'Mail', target_error: 0.1, confidence: 0.95 });
  t.strictSame(made.questions, questions);
  t.strictSame(await decider.tasks.show('mail'), made);
  const { info, answers, task } = await decider.tasks.decide('mail', { state: { a: 1 } });
  t.strictSame(task, { name: 'mail', version: 1 });
  t.match(answers.team, { type: 'choice', accept: null });
  t.match(info.requestId, /^req_\w{24}$/);
  const request_id = info.requestId as string;
  const labelled = await decider.tasks.label('mail', [{ request_id, expected: { angry: true } }]);
  t.match(labelled, { task: { name: 'mail', version: 1 }, lines: 1, labels: 1 });
  const few = { angry: { labels: 1, needed: 38 }, team: { labels: 0, needed: 38 } };
  await refuses(t, decider.tasks.fit('mail'), { type: 'too_few_labels', status: 409, questions: few });
  t.equal((await decider.tasks.put('mail', { questions, model: 'tiny' })).version, 2);
  t.match(await decider.tasks.list(), [{ name: 'mail', version: 2, model: 'tiny' }]);
  t.strictSame(await decider.tasks.delete('mail'), { object: 'task', name: 'mail', deleted: true });
  await refuses(t, decider.tasks.show('mail'), { type: 'task_not_found', status: 404 });
  for (const name of ['', '.', '..', 'a/b', 'a b', 'x'.repeat(65)]) {
    await t.rejects(async () => decider.tasks.show(name), { name: 'TypeError' }, name);
  }
});

test('limits, usage, models and health', async (t) => {
  const { decider } = await connected();
  t.equal((await decider.limits()).server.questions, 16);
  t.equal((await decider.usage({ days: 1 })).object, 'usage');
  await refuses(t, decider.usage({ days: 93 }), { type: 'invalid_request' });
  t.equal((await decider.models()).data[0]?.id, 'tiny');
  t.strictSame(await decider.health(), { status: 'ok' });
});

test('what cannot be used is refused at once, and not quoted', async (t) => {
  for (const url of ['nothing', 'ftp://host', 'http://user:secret@host', '']) {
    t.throws(() => new Decider({ url }), { name: 'TypeError', message: /^url: (?!.*secret)/ });
  }
  for (const token of ['', 'a b', 'dk_\n', 'é']) {
    t.throws(() => new Decider({ token }), { name: 'TypeError', message: /^token: / });
  }
  const decider = new Decider({ token: 'dk_secret' });
  const { inspect } = await import('node:util');
  t.notMatch(inspect(decider, { depth: 9 }) + JSON.stringify(decider), 'dk_secret');
  await t.rejects(decider.batches.submit('x', { idempotencyKey: 'a\nb' }), TypeError);
});
