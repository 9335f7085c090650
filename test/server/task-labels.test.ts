// Labels with states, between the ledger and the storage: what is charged, and what is answered.
import { type Test, test } from 'tap';
import type { Access, Caller } from '../../src/access/index.js';
import { ApiError } from '../../src/api/index.js';
import type { Engines } from '../../src/server/engines.js';
import { TaskLabels } from '../../src/server/task-labels.js';
import type { LabelOutcome, NewLabel } from '../../src/tasks/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from '../support/fake-clock.js';

const BUILD = 'm-1';
const ASKED = { name: 'a', version: 1, model: null, questions: '{"q":{"type":"noul"}}', fits: [] };
const CALLER = { key: { id: 'k' }, workspace: { id: 'w', models: null } } as unknown as Caller;
const SENT = { body: new Uint8Array(), encoding: 'identity' } as const;
const QUESTION = {
  name: 'q',
  type: 'noul',
  instructions: null,
  options: ['true', 'false'].map((key) => ({ key, name: key, description: null })),
} as const;
const lost = () => new ApiError('overloaded', 'The session has ended.', { retryAfterSeconds: 1 });

/** A call with states. `posts`: what posting the reservation of each state does, in the order in which they were reserved. */
function world(states: number, posts: ReadonlyArray<() => void> = [], answersSeenMs?: number) {
  const clock = fakeClock();
  const settled: string[] = [];
  const lines: object[] = [];
  const metrics = new Metrics();
  let reserved = 0;
  const labels = Array.from({ length: states }, (_, at) => ({
    line: at + 1,
    reference: `state/${at}`,
    expected: { q: 0 },
    body: new Uint8Array(),
  }));
  const logits = [Float32Array.of(1, 0)];
  const answer = { logits, queueMs: 0, computeMs: 0, isShared: false, cachedTokens: 0 };
  const set = {
    use: <Result>(work: () => Promise<Result>) => work(),
    catalog: { find: () => ({ id: BUILD, model: { id: 'm' } }) },
    readLabels: async () => ({ ok: true, labels }),
    prepare: async () => {
      const diagnostics = { rawProbabilities: false, labelMass: false, optionRotations: 1 };
      const plan = { prefix: [], suffixes: [], images: [] };
      const facts = { temperatures: [1], orders: [1], inputTokens: 7, texts: { hits: 0, misses: 0 } };
      return { ok: true, build: BUILD, calibration: 'c', questions: [QUESTION], diagnostics, plan, ...facts };
    },
  };
  const taking = new TaskLabels({
    engines: {
      current: set,
      get: () => ({ run: async () => answer }),
      priceOf: () => ({ batch: 1n }),
    } as unknown as Engines,
    access: {
      reserve: () => {
        const at = reserved;
        reserved += 1;
        const post = () => {
          settled.push(`post ${at}`);
          posts[at]?.();
        };
        return { post, release: () => settled.push(`release ${at}`) };
      },
    } as unknown as Access,
    clock,
    log: { error: (fields: object) => lines.push(fields) },
    metrics,
    answersSeenMs,
  });
  const take = (store: (labels: readonly NewLabel[]) => Promise<LabelOutcome>) =>
    taking.take(CALLER, ASKED, SENT, store, new AbortController().signal);
  const counted = async (name: string) =>
    Number((await metrics.scrape()).match(new RegExp(`^${name}\\{model="m-1"\\} (\\d+)$`, 'm'))?.[1] ?? 0);
  return { take, settled, lines, counted, clock };
}

const refuses = (t: Test, call: Promise<unknown>, type: string) => t.rejects(call, { type } as never);

test('labels that are stored are answered, and each of their states is settled', async (t) => {
  const fails = () => {
    throw lost();
  };
  const { take, settled, lines, counted } = world(4, [() => {}, fails, fails]);
  t.strictSame(await take(async ({ length }) => ({ stored: true, labels: length })), { lines: 4, labels: 4 });
  t.strictSame(settled.sort(), ['post 0', 'post 1', 'post 2', 'post 3']);
  t.match(lines, [{ err: { type: 'overloaded' }, states: 2 }]);
  t.equal(await counted('decider_input_tokens_total'), 14, 'those that were charged');
  t.equal(await counted('decider_answers_total'), 2);
});

test('states of labels that are not stored cost nothing', async (t) => {
  const outcomes = [
    ['too_many_labels', async () => ({ stored: false, faults: null }) as const],
    [
      'invalid_labels',
      async () => ({ stored: false, faults: [{ line: 1, type: 'answer_not_found' as const }] }) as const,
    ],
    ['overloaded', () => Promise.reject(lost())],
  ] as const;
  for (const [type, store] of outcomes) {
    const { take, settled, lines, counted } = world(2);
    await refuses(t, take(store), type);
    t.strictSame(settled.sort(), ['release 0', 'release 1'], type);
    t.strictSame([lines, await counted('decider_answers_total')], [[], 0]);
  }
});

for (const [nodes, answersSeenMs] of [
  ['one node', undefined],
  ['several nodes', 500],
] as const) {
  test(`an answer that is not stored, with ${nodes}: the wait for another node is no part of storing`, async (t) => {
    const { take, settled, clock } = world(1, [], answersSeenMs);
    const missing = { stored: false, faults: [{ line: 1, type: 'answer_not_found' }] } as const;
    const outcomes: LabelOutcome[] = [missing, { stored: true, labels: 1 }];
    const taken = take(async () => outcomes.shift() as LabelOutcome);
    if (answersSeenMs === undefined) return refuses(t, taken, 'invalid_labels');
    await clock.armed();
    t.equal(outcomes.length, 1, 'the first attempt has ended');
    clock.advance(answersSeenMs - 1);
    t.equal(outcomes.length, 1);
    clock.advance(1);
    t.strictSame(await taken, { lines: 1, labels: 1 });
    t.strictSame(settled, ['post 0']);
  });
}

test('labels that still have no answer, or none of the version in use, are refused', async (t) => {
  for (const [type, attempts] of [
    ['answer_not_found', 2],
    ['answer_of_other_version', 1],
  ] as const) {
    const { take, clock } = world(0, [], 500);
    let made = 0;
    const taken = take(async () => {
      made += 1;
      return { stored: false, faults: [{ line: 1, type }] };
    });
    const refused = refuses(t, taken, 'invalid_labels');
    if (attempts > 1) await clock.armed().then(() => clock.advance(500));
    await refused;
    t.equal(made, attempts, type);
  }
});
