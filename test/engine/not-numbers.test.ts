import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { tinyProjector } from '../../models/tiny/index.js';
import { systemClock } from '../../src/base/index.js';
import { askOnce } from '../../src/engine/check/ask-once.js';
import { FIRST_DIFFERENCE_MAX, requireFirstAnswer } from '../../src/engine/check/compare-first.js';
import { firstPlan } from '../../src/engine/check/first-plans.js';
import {
  type DecodeBatch,
  Engine,
  EngineThread,
  LABEL_MASS,
  openProjector,
  type Plan,
  type Sharing,
} from '../../src/engine/index.js';
import { FAILURES_MAX } from '../../src/engine/lanes/lane.js';
import { runServedWave } from '../../src/engine/wave/run-wave.js';
import type { WaveTask } from '../../src/engine/wave/task.js';
import { requireEmbedding, requireLogits } from '../../src/engine/wave/usable-numbers.js';
import {
  addon,
  answerAll,
  BOUNDS,
  backend,
  buildOf,
  COLD,
  device,
  never,
  openContext,
  openTiny,
  planOf,
} from '../support/engine.js';
import { withoutNumbers } from '../support/gguf-file.js';

/** What follows from this token is not a number. */
const BAD = 666;

/**
 * A context as on a GPU: from a decode with the token `BAD` on, all logits are NaN until the cells are overwritten, because
 * attention also reads the cells that are free.
 */
function gpuContext() {
  const decoded: number[][] = [];
  let isSpoiled = false;
  return {
    decoded,
    decode({ tokens, slots, optionTokens, optionOffsets }: DecodeBatch) {
      decoded.push([...tokens]);
      isSpoiled ||= tokens.includes(BAD);
      const logits = Float32Array.from(optionTokens);
      slots.forEach((slot, index) => {
        const end = optionOffsets[index + 1] as number;
        for (let at = optionOffsets[index] as number; at < end; at++)
          logits[at] = isSpoiled ? Number.NaN : (tokens[slot] as number) * (1 + (optionTokens[at] as number));
      });
      return logits;
    },
    copySequence() {},
    removeSequence() {},
    clear() {},
    erase() {
      isSpoiled = false;
    },
    memory: () => [],
    close() {},
  };
}

function gpuEngine(sharing: Sharing = COLD) {
  const context = gpuContext();
  const runner = {
    number: 1,
    ready: async () => ({ head: new Int32Array(0), images: null }),
    run: async (task: WaveTask) => runServedWave(context, task, BOUNDS, never()),
  };
  const engine = new Engine([runner], {
    bounds: BOUNDS,
    sharing,
    queueMax: 100,
    deadlineMs: 60_000,
    clock: systemClock,
  });
  const run = (plan: Plan) =>
    engine.run(plan, { signal: new AbortController().signal }).then(
      ({ logits }) => logits.map((each) => [...each]),
      (error: Error) => error.message,
    );
  return { run, context };
}

const plan = (prefix: number, token: number): Plan =>
  planOf(
    Int32Array.from({ length: 70 }, (_, at) => prefix + at),
    [{ tokens: Int32Array.of(9, token), options: Int32Array.of(1, 2) }],
  );

test('a plan whose logits are not numbers fails, and no plan beside or after it gets other logits', async (t) => {
  const good = [plan(1_000, 5), plan(2_000, 6), plan(3_000, 7)];
  const alone: unknown[] = [];
  for (const each of good) alone.push(await gpuEngine().run(each));
  t.strictSame(alone[0], [[10, 15]]);
  const { run } = gpuEngine();
  const together = [good[0] as Plan, plan(4_000, BAD), ...good.slice(1)].map(run);
  const [first, bad, ...others] = await Promise.all(together);
  t.match(bad, /not a number/);
  t.strictSame([first, ...others], alone);
  for (const [at, each] of good.entries()) t.strictSame(await run(each), alone[at], 'later');
});

test('the error of a wave is thrown although the context cannot be emptied after it', (t) => {
  const context = {
    ...gpuContext(),
    removeSequence() {
      throw Object.assign(new Error('the device failed to compute'), { code: 'decode_failed' });
    },
    erase() {
      throw new Error('the device is lost');
    },
  };
  const task: WaveTask = { clear: false, images: [], phases: [], removals: [1] };
  t.throws(() => runServedWave(context, task, BOUNDS, never()), { code: 'decode_failed' });
  t.end();
});

test('however many plans fail because of themselves, their lane does not rest', async (t) => {
  const { run } = gpuEngine();
  const bad = () => run(plan(4_000, BAD));
  for (let time = 0; time < FAILURES_MAX; time++) t.match(await bad(), /not a number/);
  t.strictSame(await run(plan(1_000, 5)), [[10, 15]]);
  // Beside others, one after the other, with a good one in each wave.
  for (let time = 0; time < FAILURES_MAX; time++) {
    const [first, second, good] = await Promise.all([bad(), bad(), run(plan(1_000, 5))]);
    t.match([first, second], [/not a number/, /not a number/]);
    t.strictSame(good, [[10, 15]]);
  }
});

test('a long prefix that is not numbers is given up, and the plans beside it are answered', async (t) => {
  const { run } = gpuEngine();
  const tokens = Int32Array.from({ length: 3 * BOUNDS.waveTokens }, (_, at) => 10_000 + at);
  tokens[0] = BAD;
  const suffix = { tokens: Int32Array.of(9, 5), options: Int32Array.of(1, 2) };
  let ended: unknown;
  const bad = run(planOf(tokens, [suffix])).then((answer) => {
    ended = answer;
  });
  const answers: unknown[] = [];
  // While others keep coming.
  for (let at = 0; at < 40 && ended === undefined; at++) answers.push(await run(plan(1_000 + 100 * at, 5)));
  t.match(ended, /not a number/);
  await bad;
  for (const answer of answers) t.strictSame(answer, [[10, 15]]);
});

test('a prefix is not kept in the cache if the logits of a suffix are not numbers', async (t) => {
  const { run, context } = gpuEngine({ ...COLD, idleCellsMax: BOUNDS.cells });
  for (let time = 0; time < 3; time++) await run(plan(1_000, 5));
  await run(plan(1_000, BAD));
  context.decoded.length = 0;
  t.strictSame(await run(plan(1_000, 5)), [[10, 15]]);
  t.ok(context.decoded.flat().includes(1_000), 'the prefix is computed again');
});

test('logits of options must be finite; the label mass may be NaN', (t) => {
  const options = Int32Array.of(3, 4, LABEL_MASS);
  const streams = [
    { tokens: Int32Array.of(1), position: 0, sequences: [0] },
    { tokens: Int32Array.of(2), position: 1, sequences: [0], options },
  ];
  const task = { clear: true, images: [], removals: [], phases: [{ removals: [], copies: [], streams }] };
  const asked = (...logits: number[]) => requireLogits(task, [Float32Array.from(logits)]);
  t.doesNotThrow(() => asked(1, 2, -0.5));
  t.doesNotThrow(() => asked(1, 2, Number.NaN));
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    t.throws(() => asked(1, bad, -0.5), /not a number/);
  t.end();
});

test('an embedding that llama.cpp has clamped is refused when it is served, too', (t) => {
  t.doesNotThrow(() => requireEmbedding(Float32Array.of(0, -0.99e18, 0.99e18)));
  for (const bad of [Number.NaN, 1.01e18, -3.4e38])
    t.throws(() => requireEmbedding(Float32Array.of(0, bad)), /not a number/);
  const folder = t.testdir();
  const path = join(folder, 'projector.gguf');
  writeFileSync(path, withoutNumbers(tinyProjector({ kind: 'gemma4v' })));
  const projector = { path, sha256: '' };
  const model = openTiny(folder, {}, { reads_images: true }, projector);
  const encoder = openProjector(addon, model, projector, device, 1);
  const pixels = { width: 48, height: 48, rgb: new Uint8Array(48 * 48 * 3).fill(200) };
  t.throws(() => encoder.encode(pixels, new Float32Array(encoder.width)), /not a number/);
  t.end();
});

test('a context whose cells were overwritten answers as before', (t) => {
  const model = openTiny(t.testdir());
  const context = openContext(model);
  const before = answerAll(context, [plan(300, 400)]);
  context.erase();
  t.strictSame(answerAll(context, [plan(300, 400)]), before);
  context.close();
  t.end();
});

test('the first answer: as far from that of the check as allowed, and further', (t) => {
  const logits = (p: number) => [Math.log(p), Math.log(1 - p)];
  const [least, most] = [0.5 - FIRST_DIFFERENCE_MAX + 1e-9, 0.5 - FIRST_DIFFERENCE_MAX - 1e-3];
  t.doesNotThrow(() => requireFirstAnswer(logits(0.5), logits(least)));
  t.throws(
    () => requireFirstAnswer(logits(0.5), logits(most)),
    /probabilities 0\.25, 0\.75, and the CPU 0\.50, 0\.50/,
  );
  t.throws(() => requireFirstAnswer([1, 1.1, 1.2], [0, 0, 0]), /0\.33, 0\.33, 0\.33/);
  t.doesNotThrow(() => requireFirstAnswer([2, 2], [0, 0]));
  t.throws(() => requireFirstAnswer([2, 2], [0, Number.NaN]), /NaN/);
  t.end();
});

test('a thread is ready only if it answers the first question as the check does', async (t) => {
  const { build, ...model } = openTiny(t.testdir());
  const opened = { build, ...model };
  const [answer = []] = askOnce(addon, opened, [firstPlan(opened)], BOUNDS, 1, device);
  const logits = [...(answer[0] as Float32Array)];
  const start = (test: Test, firstLogits: readonly number[], bounds = BOUNDS) => {
    const place = { backend, device, build: buildOf(build.path), threads: 1, number: 1 };
    const thread = new EngineThread({ ...place, bounds, firstLogits });
    test.teardown(() => thread.close());
    return thread.ready();
  };
  await t.resolves(start(t, logits));
  const others = logits.map((_, option) => (option === 0 ? 50 : 0));
  await t.rejects(start(t, others), { message: /tiny-\d+\.gguf: its first waves failed: .*0\.00, 0\.00/ });
  await t.resolves(start(t, others, { ...BOUNDS, cells: 16 }), 'the question does not fit: it is not asked');
});
