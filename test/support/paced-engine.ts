import { Engine, type EngineOptions } from '../../src/engine/index.js';
import type { WaveResult, WaveTask } from '../../src/engine/wave/task.js';
import { BOUNDS, COLD } from './engine.js';
import { fakeClock } from './fake-clock.js';
import { manualThread } from './fake-engine.js';

/** Everything that promises do now is done when it resolves. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** An engine with one thread that takes so many milliseconds of a fake clock per token. */
export function pacedEngine(msPerToken: number, options: Partial<EngineOptions> = {}) {
  const clock = fakeClock();
  const { run: begin, waves, ready } = manualThread();
  const computed = { tokens: 0, ms: 0 };
  const thread = {
    ready,
    number: 1,
    run(task: WaveTask): Promise<WaveResult> {
      const answer = begin(task);
      const wave = waves.at(-1);
      const tokens = tokensOf(task);
      clock.after(tokens * msPerToken, () => {
        computed.tokens += tokens;
        computed.ms += tokens * msPerToken;
        wave?.resolve();
      });
      return answer;
    },
  };
  const engine = new Engine([thread], {
    bounds: BOUNDS,
    sharing: COLD,
    queueMax: 100,
    deadlineMs: Number.MAX_SAFE_INTEGER,
    clock,
    ...options,
  });
  return { engine, clock, computed };
}

const tokensOf = ({ phases }: WaveTask) =>
  phases.flatMap(({ streams }) => streams).reduce((sum, { tokens }) => sum + tokens.length, 0);
