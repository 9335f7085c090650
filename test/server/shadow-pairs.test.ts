import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { PAIRS_DELAY_MS, PAIRS_WAITING_MAX, ShadowPairs } from '../../src/server/shadows/shadow-pairs.js';
import type { NewPairs } from '../../src/tasks/index.js';
import { Metrics } from '../../src/telemetry/index.js';
import { fakeClock } from '../support/fake-clock.js';
import { decisionOf, SHADOWED, settled } from '../support/shadow-world.js';

function pairsWorld() {
  const clock = fakeClock();
  const metrics = new Metrics();
  const stored: NewPairs[] = [];
  const errors: unknown[] = [];
  const world = { answer: async () => true };
  const pairs = new ShadowPairs({
    tasks: {
      addPairs: (_, added) => {
        stored.push(added);
        return world.answer();
      },
    },
    clock,
    log: { error: (fields: object) => errors.push(fields) },
    metrics,
  });
  const add = (reference: string, live = 0.75, shadow = 0.25, build = 'n-1', task = SHADOWED) =>
    pairs.add(task, reference, { live: decisionOf('m-1', live), shadow: decisionOf(build, shadow) });
  const count = async (event: string) =>
    Number(
      (await metrics.scrape()).match(new RegExp(`shadows_total\\{event="${event}"\\} (\\d+)`))?.[1] ?? 0,
    );
  return { clock, world, pairs, add, stored, errors, count };
}

test('pairs are written together, a second after the first of them', async (t) => {
  const { clock, add, stored, count } = pairsWorld();
  add('req_1', 0.75, 0.25);
  clock.advance(PAIRS_DELAY_MS - 1);
  add('req_2', 0.75, 0.5);
  add('req_3', 0.75, 0.75, 'n-2');
  await settled();
  t.equal(stored.length, 0);
  clock.advance(1);
  await settled();
  t.match(stored, [
    {
      version: 1,
      live: 'm-1',
      shadow: 'n-1',
      questions: [{ answers: 2, agreed: 1, options: 4, moved: 1.5, largest: 0.5 }],
      answers: [
        { reference: 'req_1', probabilities: [[0.25, 0.75]] },
        { reference: 'req_2', probabilities: [[0.5, 0.5]] },
      ],
    },
    { shadow: 'n-2', questions: [{ answers: 1, agreed: 1 }] },
  ]);
  t.equal(await count('counted'), 3);
  t.equal(clock.timers(), 0);
});

test('pairs of a shadow that was removed and set again, or has another model, are apart', async (t) => {
  const { pairs, add, stored } = pairsWorld();
  for (const task of [
    SHADOWED,
    { ...SHADOWED, shadowNumber: 1 },
    { ...SHADOWED, shadow: { model: 'n-1', share: 1 } },
    { ...SHADOWED, shadow: { model: 'other', share: 0.5 } },
  ])
    add('req_1', 0.75, 0.25, 'n-1', task);
  await pairs.flush();
  t.strictSame(
    stored.map(({ answers }) => answers.length),
    [2, 1, 1],
  );
});

test('acceptance is that of the fit in force for the build that answered', async (t) => {
  const { pairs, add, stored } = pairsWorld();
  const acceptances = [{ temperature: 1, threshold: 0.7 }];
  const fit = {
    version: 1,
    build: 'm-1',
    calibration: 'c',
    at: 0,
    targetError: 0.05,
    confidence: 0.95,
    acceptances,
  };
  for (const fits of [
    [fit],
    [{ ...fit, build: 'm-2' }],
    [{ ...fit, calibration: 'd' }],
    [{ ...fit, acceptances: [null] }],
  ]) {
    add('req_1', 0.75, 0.6, 'n-1', { ...SHADOWED, fits });
    await pairs.flush();
  }
  t.match(
    stored.map(({ questions }) => questions[0]?.accepted),
    [
      { both: 0, live: 1, shadow: 0, neither: 0 },
      { both: 0, live: 0 },
      { both: 0, live: 0 },
      { both: 0, live: 0 },
    ],
  );
});

test('a question that was asked in several orders is not compared', async (t) => {
  const { pairs, stored } = pairsWorld();
  const [live, shadow] = [decisionOf('m-1'), decisionOf('n-1')];
  pairs.add(SHADOWED, 'req_1', { live: { ...live, probabilities: [null] }, shadow });
  pairs.add(SHADOWED, 'req_2', { live, shadow });
  await pairs.flush();
  t.match(stored, [
    { questions: [{ answers: 1 }], answers: [{ reference: 'req_1' }, { reference: 'req_2' }] },
  ]);
});

test('so many pairs wait for the storage, and one more is dropped', async (t) => {
  const { pairs, world, add, stored, count } = pairsWorld();
  let answer = (_: boolean) => {};
  world.answer = () =>
    new Promise<boolean>((resolve) => {
      answer = resolve;
    });
  for (let at = 0; at < PAIRS_WAITING_MAX; at += 1) add(`req_${at}`);
  const flushed = pairs.flush();
  await settled();
  t.equal(stored[0]?.answers.length, PAIRS_WAITING_MAX);
  t.equal(await count('dropped'), 0);
  add('one more');
  t.equal(await count('dropped'), 1, 'those being written count too');
  answer(true);
  await flushed;
  add('later');
  const later = pairs.flush();
  await settled();
  answer(true);
  await later;
  t.strictSame([await count('counted'), await count('dropped')], [PAIRS_WAITING_MAX + 1, 1]);
});

test('pairs of a task that has changed, and those that cannot be stored, are dropped', async (t) => {
  const { pairs, world, add, errors, count } = pairsWorld();
  const answers = [
    async () => false,
    () => Promise.reject(new ApiError('overloaded', 'No.')),
    () => Promise.reject(new Error('a damaged value')),
  ];
  for (const answer of answers) {
    world.answer = answer;
    add('req_1');
    await pairs.flush();
  }
  t.equal(await count('dropped'), 3);
  t.match(errors, [{ err: { message: 'a damaged value' } }]);
});
