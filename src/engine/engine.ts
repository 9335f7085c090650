import { ApiError } from '../api/index.js';
import { Dispatcher } from './dispatcher/index.js';
import type { EnginePool } from './pool/index.js';
import { longestPrompt, type Plan, type PlanLogits, type WaveBounds } from './wave/index.js';

interface Entry {
  readonly plan: Plan;
  readonly resolve: (logits: PlanLogits) => void;
  readonly reject: (error: unknown) => void;
}

/** What the engine needs of a pool. */
export type WaveRunner = Pick<EnginePool, 'size' | 'run'>;

/**
 * Answers plans of one model: queues them, and sends a wave to the pool whenever one of its contexts is
 * free. No timers: what arrives meanwhile forms the next wave.
 */
export class Engine {
  private readonly dispatcher: Dispatcher<Entry>;
  private free: number;

  constructor(
    private readonly pool: WaveRunner,
    private readonly bounds: WaveBounds,
    queueMax: number,
  ) {
    this.dispatcher = new Dispatcher(bounds, queueMax);
    this.free = pool.size;
  }

  /**
   * The logits of a plan's leaves, in order. Rejects with ApiError `overloaded` where the queue is full,
   * with the signal's reason where the caller left before the wave did, with the engine's error otherwise.
   */
  async run(plan: Plan, signal: AbortSignal): Promise<PlanLogits> {
    if (longestPrompt(plan) > this.bounds.cells)
      throw new Error('the plan was not checked against the cells');
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        plan,
        resolve: (logits) => settle(() => resolve(logits)),
        reject: (error) => settle(() => reject(error)),
      };
      const onAbort = () => {
        if (this.dispatcher.remove(entry)) reject(signal.reason);
      };
      const settle = (finish: () => void) => {
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      if (!this.dispatcher.add(entry)) {
        reject(new ApiError('overloaded', 'The queue is full.', { retryAfterSeconds: 1 }));
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.dispatch();
    });
  }

  private dispatch(): void {
    while (this.free > 0) {
      const wave = this.dispatcher.next();
      if (wave.length === 0) return;
      this.free -= 1;
      void this.send(wave);
    }
  }

  private async send(wave: readonly Entry[]): Promise<void> {
    let settle: () => void;
    try {
      const results = await this.pool.run(wave.map(({ plan }) => plan));
      settle = () => {
        wave.forEach((entry, index) => {
          entry.resolve(results[index] as PlanLogits);
        });
      };
    } catch (error) {
      settle = () => {
        for (const entry of wave) entry.reject(error);
      };
    }
    // The next wave leaves before the answers of this one are written.
    this.free += 1;
    this.dispatch();
    settle();
  }
}
