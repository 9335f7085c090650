import { Engine, type EngineOptions, EXACT, type Plan } from '../../src/engine/index.js';
import type { WaveResult, WaveTask } from '../../src/engine/wave/task.js';
import { BOUNDS, COLD, planOf } from './engine.js';
import { fakeClock } from './fake-clock.js';

/** A thread whose waves end when the test says so; the logit of a suffix is its first token. */
export function manualThread(number = 1) {
  const waves: Array<{ task: WaveTask; resolve(): void; reject(error: Error): void }> = [];
  /** What the next attempts to start end with; then it starts. */
  const startFaults: Error[] = [];
  return {
    waves,
    startFaults,
    number,
    ready: async () => {
      const fault = startFaults.shift();
      if (fault !== undefined) throw fault;
      return { head: new Int32Array(0), images: null };
    },
    run: (task: WaveTask) =>
      new Promise<WaveResult>((resolve, reject) => {
        const answers = task.phases
          .flatMap(({ streams }) => streams)
          .filter(({ options }) => options !== undefined)
          .map(({ tokens }) => Float32Array.of(tokens[0] as number));
        waves.push({ task, reject, resolve: () => resolve(answers) });
      }),
  };
}

/** A plan with one suffix, which begins with `mark`. */
export function markedPlan(mark: number, prefix = 10): Plan {
  const tokens = Int32Array.from({ length: prefix }, (_, i) => mark * 1_000 + i);
  return planOf(tokens, [{ tokens: Int32Array.of(mark, 1), options: Int32Array.of(0) }]);
}

export function fakeEngine(options: Partial<EngineOptions> = {}, count = 1) {
  const threads = Array.from({ length: count }, (_, at) => manualThread(at + 1));
  const clock = fakeClock();
  const engine = new Engine(threads, {
    bounds: BOUNDS,
    sharing: COLD,
    queueMax: 100,
    deadlineMs: 1_000,
    clock,
    ...options,
  });
  return { engine, clock, threads, thread: threads[0] as ReturnType<typeof manualThread>, exact: EXACT };
}
