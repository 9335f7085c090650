import { test } from 'tap';
import type { PrepareResult } from '../../../src/decide/index.js';
import { Engine } from '../../../src/engine/index.js';
import type { WaveResult, WaveTask } from '../../../src/engine/wave/task.js';
import { line, World } from '../../support/batch/world.js';
import { BOUNDS, COLD, planOf } from '../../support/engine.js';

const PREFIX_TOKENS = 50;
const SUFFIX_TOKENS = 10;

/** A thread whose waves end when the test says so. */
function slowThread() {
  const waves: Array<{ readonly task: WaveTask; resolve(): void }> = [];
  return {
    waves,
    number: 1,
    ready: async () => ({ head: new Int32Array(0), images: null }),
    run: (task: WaveTask) =>
      new Promise<WaveResult>((resolve) => {
        const suffixes = task.phases
          .flatMap(({ streams }) => streams)
          .filter(({ options }) => options !== undefined);
        waves.push({ task, resolve: () => resolve(suffixes.map(() => Float32Array.of(1, 0))) });
      }),
  };
}

/** A world whose lines are computed in waves by the engine's own scheduler, on a context that keeps nothing. */
async function worldInWaves(t: Parameters<typeof World.start>[0], waveTokens: number) {
  const world = await World.start(t);
  const thread = slowThread();
  const engine = new Engine([thread], {
    bounds: { ...BOUNDS, waveTokens },
    sharing: COLD,
    queueMax: 1_000,
    deadlineMs: 1_000,
    clock: world.clock,
  });
  const { prepare } = world.engine;
  world.engine.of = () => engine;
  world.engine.prepare = async (task) => {
    const { state, custom_id: id } = JSON.parse(Buffer.from(task.body).toString());
    const result = (await prepare.call(world.engine, task)) as Extract<PrepareResult, { ok: true }>;
    const tokens = Int32Array.from({ length: PREFIX_TOKENS }, (_, at) => Number(state) * 1_000 + at);
    const mark = [...String(id)].reduce((sum, each) => sum * 31 + each.charCodeAt(0), 7) % 1e6;
    const suffix = Int32Array.from({ length: SUFFIX_TOKENS }, (_, at) => mark * 100 + at);
    return { ...result, plan: planOf(tokens, [{ tokens: suffix, options: Int32Array.of(0, 1) }]) };
  };
  return { world, thread };
}

for (const keys of [1, 3]) {
  test(`${keys} keys: lines read ahead with the same state run in one wave`, async (t) => {
    const states = 12;
    const lines = 5;
    const { world, thread } = await worldInWaves(t, 500);
    const batches: Array<{ key: { id: string }; id: string }> = [];
    for (let at = 0; at < keys; at += 1) {
      const key = world.key();
      // Before each case the same policy, and the cases of all policies in turn.
      const file = Array.from({ length: states * lines }, (_, n) =>
        line(`${at}-${n}`, String(at * 100 + (n % states))),
      );
      batches.push({ key, id: await world.submit(key, file.join('\n')) });
    }
    let computed = 0;
    for (let done = 0; done < 200 && batches.some(({ key, id }) => world.show(key, id).status !== 'done'); ) {
      await world.pass(1);
      const wave = thread.waves[done];
      done += 1;
      if (wave === undefined) break;
      for (const { streams } of wave.task.phases) {
        for (const { tokens } of streams) computed += tokens.length;
      }
      wave.resolve();
    }
    for (const { key, id } of batches) t.match(world.show(key, id), { status: 'done' });
    const least = keys * states * (PREFIX_TOKENS + lines * SUFFIX_TOKENS);
    const apart = keys * states * lines * (PREFIX_TOKENS + SUFFIX_TOKENS);
    // A wave that is full ends within a state, which the next then begins again.
    t.ok(computed <= least + thread.waves.length * PREFIX_TOKENS, `${computed}, of ${least} to ${apart}`);
  });
}
