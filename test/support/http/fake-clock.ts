import type { Clock } from '../../../src/base/index.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  #time = 0;
  readonly #timers = new Set<Timer>();
  #onArmed: (() => void)[] = [];

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  certainFor(): number {
    return Number.POSITIVE_INFINITY;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#time + ms, callback };
    this.#timers.add(timer);
    for (const resolve of this.#onArmed.splice(0)) resolve();
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Resolves when somebody waits for this clock. */
  async armed(): Promise<void> {
    while (this.#timers.size === 0) await new Promise<void>((resolve) => this.#onArmed.push(resolve));
  }

  /** Lets `ms` pass, calling back what falls due on the way, in order. */
  advance(ms: number): void {
    const end = this.#time + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#time = Math.max(this.#time, due.at);
      due.callback();
    }
    this.#time = end;
  }
}
