import { test } from 'tap';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import { Scheduler } from '../../src/engine/scheduler/scheduler.js';
import { step } from '../../src/engine/scheduler/step.js';
import { Cache, type Entry, tokensOf } from '../support/cache.js';
import { COLD, planOf } from '../support/engine.js';
import { BOUNDS } from '../support/scheduler.js';

let marks = 0;
function entry(prefix: number, suffix: number, suffixes = 1): Entry {
  marks += 1;
  const plan = planOf(
    Int32Array.from({ length: prefix }, (_, i) => marks * 10_000 + i),
    Array.from({ length: suffixes }, (_, i) => ({
      tokens: Int32Array.from({ length: suffix }, (_, at) => marks * 10_000 + 5_000 + i + at),
      options: Int32Array.of(1),
    })),
  );
  return { plan, urgency: 'live', dropped: false, answers: 0 };
}

function setUp(exact = false, bounds = BOUNDS) {
  const scheduler = new Scheduler<Entry>({ queueMax: 1_000 });
  const state = new ContextState<Entry>(bounds, { ...COLD, exact });
  const cache = new Cache(bounds);
  let tokens = 0;
  const next = () => {
    tokens = 0;
    const done = step(scheduler, state, (task) => {
      tokens = tokensOf(task);
      return cache.play(task).map((seen) => Float32Array.of(seen.length));
    });
    return done ?? [];
  };
  return { scheduler, next, state, tokens: () => tokens };
}

for (const exact of [false, true])
  test(`400 questions: the prefix and every suffix are computed once (exact: ${exact})`, (t) => {
    const { scheduler, next, tokens } = setUp(exact);
    const plan = entry(250, 10, 400);
    scheduler.add(plan, 'live');
    let [sum, waves] = [0, 0];
    for (;;) {
      const [answer] = next();
      sum += tokens();
      waves += 1;
      if (waves > 100) throw new Error('it does not end');
      if (answer === undefined) continue;
      t.equal(answer.logits.length, 400);
      t.ok(answer.logits.every(([seen]) => seen === 260));
      break;
    }
    t.equal(sum, 250 + 400 * 10);
    t.equal(waves, Math.ceil(sum / 100), 'every wave is full');
    t.end();
  });

test('a request of 400 questions delays no other by more than a wave, and advances beside them', (t) => {
  const { scheduler, next, tokens } = setUp();
  const large = entry(250, 10, 400);
  scheduler.add(large, 'live');
  let ended = 0;
  for (let wave = 1; ended === 0; wave++) {
    // One is short, the other one long: more than half of a wave.
    const [short, long] = [entry(20, 4), entry(50, 5)];
    const before = next();
    if (before.some((answer) => answer.entry === large)) ended = wave;
    for (const each of wave % 2 === 0 ? [short] : [long]) scheduler.add(each, 'live');
    const after = next();
    if (after.some((answer) => answer.entry === large)) ended = wave;
    t.ok(after.some(({ entry: each }) => each === (wave % 2 === 0 ? short : long)));
    if (ended === 0) t.equal(tokens(), 100);
    if (wave > 60) throw new Error('the large one waits for ever');
  }
  t.end();
});

test('however many other long requests come, the oldest one gets a quarter of every wave', (t) => {
  const { scheduler, next, state } = setUp();
  const large = entry(10, 10, 100);
  scheduler.add(large, 'live');
  let waves = 0;
  for (let done = false; !done; waves++) {
    for (let each = 0; each < 3; each++) scheduler.add(entry(80, 20), 'live');
    done = next().some((answer) => answer.entry === large);
    if (waves > 41) throw new Error('it advances too slowly');
  }
  t.ok(waves >= 20, 'others advance too');
  // Then every other one is the oldest in its turn.
  let left = state.cache.running.length + scheduler.waiting('live').length;
  for (waves = 0; left > 0; waves++) {
    left -= next().length;
    if (waves > 200) throw new Error('one waits for ever');
  }
  t.end();
});

test('a request that finds no room keeps its place: shorter ones that come later do not take its cells', (t) => {
  const bounds = { ...BOUNDS, cells: 400 };
  const { scheduler, next } = setUp(false, bounds);
  scheduler.add(entry(150, 60), 'live');
  next();
  const wide = entry(320, 60);
  scheduler.add(wide, 'live');
  let waves = 0;
  for (let done = false; !done; waves++) {
    scheduler.add(entry(60, 10), 'live');
    done = next().some((answer) => answer.entry === wide);
    if (waves > 30) throw new Error('it waits for ever');
  }
  t.pass(`${waves} waves`);
  t.end();
});
