import { type Test, test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { Decider, type StoredLabels, systemRuntime } from '../../src/client/index.js';
import {
  LABEL_BYTES_MAX,
  LABEL_LINES_MAX,
  LABEL_STATES_MAX,
  type LabelPiece,
  labelPieces,
  TASK_QUESTIONS_MAX,
} from '../../src/client/label-pieces.js';
import { hastyClient, rawStub, refusal, refuses, response } from '../support/client/raw-stub.js';

const expected = { q: true };
const named = (at: number) => ({ request_id: `req_${at}`, expected });
const withState = (at: number) => ({ state: `state ${at}`, expected });
const many = <Label>(count: number, make: (at: number) => Label) =>
  Array.from({ length: count }, (_, at) => make(at));

async function piecesOf(t: Test, lines: readonly string[]): Promise<LabelPiece[]> {
  const pieces: LabelPiece[] = [];
  for await (const piece of labelPieces(lines, undefined)) pieces.push(piece);
  const sent = pieces.map(({ body }) => body).join('');
  t.equal(sent, lines.map((line) => `${line}\n`).join(''), 'no line is lost, and none comes twice');
  return pieces;
}

const stored = (lines: number, labels = lines) =>
  response(JSON.stringify({ object: 'labels', task: { name: 'mail', version: 1 }, lines, labels }));

test('pieces have at most the lines, states and bytes of a call', async (t) => {
  t.ok(LABEL_BYTES_MAX <= LIMITS.labelBytes);
  t.ok(LABEL_LINES_MAX <= LIMITS.labelLines);
  t.ok(LABEL_STATES_MAX <= LIMITS.labelStates);
  t.equal(TASK_QUESTIONS_MAX, LIMITS.questions);
  const sizes = async (lines: readonly string[]) =>
    (await piecesOf(t, lines)).map(({ lines: count }) => count);
  const text = (make: (at: number) => object) => (at: number) => JSON.stringify(make(at));
  t.strictSame(await sizes([]), []);
  t.strictSame(await sizes(many(LABEL_LINES_MAX, text(named))), [LABEL_LINES_MAX]);
  t.strictSame(await sizes(many(LABEL_LINES_MAX + 1, text(named))), [LABEL_LINES_MAX, 1]);
  t.strictSame(await sizes(many(LABEL_STATES_MAX, text(withState))), [LABEL_STATES_MAX]);
  t.strictSame(await sizes(many(LABEL_STATES_MAX + 1, text(withState))), [LABEL_STATES_MAX, 1]);
  const half = 'é'.repeat(LABEL_BYTES_MAX / 4 - 1);
  t.strictSame(await sizes([`${half}x`, `${half}x`]), [2]);
  t.strictSame(await sizes([`${half}x`, `${half}xx`]), [1, 1]);
  t.strictSame(await sizes(['x'.repeat(LABEL_BYTES_MAX - 1)]), [1]);
  await t.rejects(sizes(['{}', 'x'.repeat(LABEL_BYTES_MAX)]), {
    type: 'body_too_large',
    message: `Label 2 has more than ${LABEL_BYTES_MAX} bytes.`,
  });
});

test('which pieces have states', async (t) => {
  const statesOf = async (line: string) => (await piecesOf(t, [line]))[0]?.states;
  for (const line of ['{"request_id":"state"}', '{"state":null}', '7', 'null'])
    t.equal(await statesOf(line), 0, line);
  for (const line of ['{"state":false}', '{"st\\u0061te":1}', 'no JSON'])
    t.equal(await statesOf(line), 1, line);
});

test('label: several calls, their sums, and the progress', async (t) => {
  const { url, requests } = await rawStub(t, stored(25), stored(25, 50), stored(1, 51));
  const progress: StoredLabels[] = [];
  async function* labels() {
    yield* many(51, withState);
  }
  const last = await hastyClient(url).decider.tasks.label('mail', labels(), {
    onProgress: (each) => progress.push(each),
  });
  t.match(last, { lines: 51, labels: 51, task: { name: 'mail', version: 1 } });
  t.strictSame(
    progress.map(({ lines, labels }) => [lines, labels]),
    [
      [25, 25],
      [50, 50],
      [51, 51],
    ],
  );
  t.equal(requests.length, 3);
  t.match(
    requests[2],
    /^POST \/v1\/tasks\/mail\/labels [\s\S]*\r\n\r\n{"state":"state 50","expected":{"q":true}}\n$/,
  );
});

test('label: the time limit of a call grows with its states, as many as 16 prompts each', async (t) => {
  const { url } = await rawStub(t, stored(1));
  const limits: number[] = [];
  const runtime = {
    ...systemRuntime,
    after(ms: number, callback: () => void) {
      limits.push(ms);
      return systemRuntime.after(ms, callback);
    },
  };
  const { tasks } = new Decider({ url, token: 'dk_test' }, runtime);
  await tasks.label('mail', [named(1)]);
  for (const states of [1, 2, LABEL_STATES_MAX]) await tasks.label('mail', many(states, withState));
  t.strictSame(limits, [150_000, 150_000, 210_000, 90_000 + 60_000 * LABEL_STATES_MAX]);
});

test('label: lines of an error count from the first label', async (t) => {
  const errors = [{ line: 3, type: 'invalid_label', error: 'A sentence.' }];
  const refused = response(
    JSON.stringify({ error: 'A sentence.', type: 'invalid_labels', errors, invalid_lines: 1 }),
    '422 Unprocessable Entity',
  );
  const { url } = await rawStub(t, stored(25), refused);
  const progress: number[] = [];
  const call = hastyClient(url).decider.tasks.label('mail', many(30, withState), {
    onProgress: ({ lines }) => progress.push(lines),
  });
  await refuses(t, call, {
    type: 'invalid_labels',
    status: 422,
    lines: [{ ...errors[0], line: 28 }],
    invalidLines: 1,
  });
  t.strictSame(progress, [25]);
});

test('label: without labels, and with an iterable that fails or is aborted', async (t) => {
  const { url, requests } = await rawStub(t, stored(1));
  const { decider } = hastyClient(url);
  await refuses(t, decider.tasks.label('mail', []), { type: 'empty_batch' });
  await t.rejects(async () => decider.tasks.label('..', [named(1)]), TypeError);
  function* failing() {
    yield named(1);
    throw new Error('of the source');
  }
  await t.rejects(decider.tasks.label('mail', failing()), /of the source/);
  const control = new AbortController();
  async function* silent() {
    yield named(1);
    control.abort('enough');
    await new Promise(() => {});
  }
  const { signal } = control;
  t.equal(await decider.tasks.label('mail', silent(), { signal }).catch((error) => error), 'enough');
  t.equal(requests.length, 0);
});

test('what is sent again after 502: labels of answers, PUT and fit, but not states, decisions and DELETE', async (t) => {
  const { url, requests } = await rawStub(t, refusal('outcome_unknown', '502 Bad Gateway'));
  const { decider } = hastyClient(url);
  const sent = async (call: () => Promise<unknown>) => {
    requests.length = 0;
    await refuses(t, call(), { type: 'outcome_unknown', outcomeUnknown: true });
    return requests.length;
  };
  t.equal(await sent(() => decider.tasks.label('mail', [named(1), named(2)])), 3);
  t.equal(await sent(() => decider.tasks.put('mail', { questions: {} })), 3);
  t.equal(await sent(() => decider.tasks.fit('mail')), 3);
  t.equal(await sent(() => decider.tasks.show('mail')), 3);
  t.equal(await sent(() => decider.tasks.list()), 3);
  t.equal(await sent(() => decider.tasks.label('mail', [named(1), withState(2)])), 1);
  t.equal(await sent(() => decider.tasks.decide('mail', { state: 'x' })), 1);
  t.equal(await sent(() => decider.tasks.delete('mail')), 1);
});

test('too_few_labels: what each question has and needs', async (t) => {
  const body = (questions: unknown) =>
    response(JSON.stringify({ error: 'A sentence.', type: 'too_few_labels', questions }), '409 Conflict');
  const angry = { labels: 12, needed: 78 };
  const { url } = await rawStub(t, body({ angry, odd: { labels: 'many' }, none: null }), body('x'));
  const { decider } = hastyClient(url);
  await refuses(t, decider.tasks.fit('mail'), { type: 'too_few_labels', questions: { angry } });
  const { questions } = await decider.tasks.fit('mail').catch((error) => error);
  t.strictSame(questions, {});
});

test('a string in place of a list of labels is refused', async (t) => {
  const { tasks } = hastyClient('http://127.0.0.1:9').decider;
  const line = JSON.stringify(named(1));
  await t.rejects(tasks.labelLines('mail', line), { name: 'TypeError', message: /^lines: must be a list/ });
  await t.rejects(tasks.label('mail', line as never), {
    name: 'TypeError',
    message: /^labels: must be a list/,
  });
});
