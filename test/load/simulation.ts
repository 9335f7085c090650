import { nextTurn } from '../../src/base/index.js';
import type { LoadRequest, Outcome, Send } from '../../src/load/index.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

export const ANSWERED: Outcome = { answered: true, decisions: 2, inputTokens: 100 };

/** A clock that jumps from timer to timer as fast as their callbacks run. */
export class Simulation {
  private time = 0;
  private readonly timers = new Set<Timer>();

  readonly clock = {
    monotonic: () => this.time,
    after: (ms: number, callback: () => void) => {
      const timer = { at: this.time + ms, callback };
      this.timers.add(timer);
      return () => void this.timers.delete(timer);
    },
  };

  /** How many timers are set. */
  get pending(): number {
    return this.timers.size;
  }

  /** Resolves in simulated time. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve));
  }

  /** Runs timers until the promise resolves; fails if none is left before. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let pending = true;
    const settled = promise.finally(() => {
      pending = false;
    });
    for (await nextTurn(); pending; await nextTurn()) {
      let next = Number.POSITIVE_INFINITY;
      for (const { at } of this.timers) next = Math.min(next, at);
      if (this.timers.size === 0) throw new Error('nothing is left to happen');
      this.time = Math.max(this.time, next);
      for (const timer of [...this.timers]) {
        if (timer.at === next && this.timers.delete(timer)) timer.callback();
      }
    }
    return settled;
  }

  /** A server that answers one request at a time, in order of arrival, each in `serviceMs()`. */
  queue(serviceMs: () => number): Send {
    let freeAt = 0;
    return async () => {
      freeAt = Math.max(freeAt, this.time) + serviceMs();
      await this.wait(freeAt - this.time);
      return ANSWERED;
    };
  }
}

/** Requests with numbers as bodies. */
export function numbered() {
  let count = 0;
  return { next: (): LoadRequest => ({ shape: 'test', body: Buffer.from(String(count++)) }) };
}
