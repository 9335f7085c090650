import type { Clock } from '../../base/index.js';
import type { NativeContext, Plan } from '../../engine/index.js';
import type { Probe } from '../probe.js';

/** Plans that were computed together, once per round. */
export interface TimedWaves {
  readonly decodes: number;
  readonly tokens: number;
  /** What was not spent in decodes: choosing plans, writing batches, taking results. Milliseconds, by round. */
  readonly hostMs: readonly number[];
}

const ROUNDS = 5;
/** Plans that are computed together. */
const TOGETHER = [1, 2, 4, 8, 16];

/** Times the host's part of waves of typical plans, on one thread. */
export function timeWaves(probe: Probe, plans: readonly Plan[], clock: Clock): TimedWaves[] {
  return TOGETHER.filter((count) => count <= plans.length).map((count) => {
    const some = plans.slice(0, count);
    let counted = { decodes: 0, tokens: 0 };
    const hostMs = Array.from({ length: ROUNDS }, () => {
      const context = new TimedContext(probe.context, clock);
      const start = clock.monotonic();
      probe.together(some, undefined, context);
      const ms = clock.monotonic() - start;
      counted = context;
      return Math.max(0, ms - context.ms);
    });
    return { decodes: counted.decodes, tokens: counted.tokens, hostMs };
  });
}

/** A context that counts its decodes and adds up their time. */
class TimedContext implements NativeContext {
  ms = 0;
  decodes = 0;
  tokens = 0;

  constructor(
    private readonly context: NativeContext,
    private readonly clock: Clock,
  ) {}

  decode(...args: Parameters<NativeContext['decode']>): Float32Array {
    const start = this.clock.monotonic();
    try {
      return this.context.decode(...args);
    } finally {
      this.ms += this.clock.monotonic() - start;
      this.decodes += 1;
      this.tokens += args[0].positions.length;
    }
  }

  copySequence(from: number, to: number): void {
    this.context.copySequence(from, to);
  }

  removeSequence(sequence: number): void {
    this.context.removeSequence(sequence);
  }

  clear(): void {
    this.context.clear();
  }

  erase(): void {
    this.context.erase();
  }

  memory() {
    return this.context.memory();
  }

  close(): void {
    this.context.close();
  }
}
