import type { Amount, Pause } from '../../../access/index.js';
import type { Answer } from './grant.js';

/** A request that waits for its cost to be reserved. */
export interface Waiter {
  readonly cost: Amount;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** The cost is reserved now. */
  granted(): void;
  refused(pause: Pause): void;
  /** It is unknown whether the cost is covered. */
  failed(): void;
}

/** Requests that wait for credit of one workspace, in the order in which they came. */
export class Waiting {
  private waiters: Waiter[] = [];

  get count(): number {
    return this.waiters.length;
  }

  add(waiter: Waiter): void {
    this.waiters.push(waiter);
  }

  /** The waiters now. A copy: an exchange keeps it while others begin to wait. */
  get all(): readonly Waiter[] {
    return Object.freeze([...this.waiters]);
  }

  /** Grants the requests for which `reserve` returns true. */
  serve(reserve: (cost: Amount) => boolean): void {
    this.settle(this.waiters, (waiter) => (reserve(waiter.cost) ? 'granted' : 'wait'));
  }

  /**
   * Answers some of the waiters; those with the answer `wait` stay in their places. Returns what was granted to waiters
   * that have failed meanwhile.
   */
  settle(asked: readonly Waiter[], answerOf: (waiter: Waiter, at: number) => Answer): Amount {
    const present = new Set(this.waiters);
    const answers = new Map(asked.map((waiter, at) => [waiter, answerOf(waiter, at)]));
    this.waiters = this.waiters.filter((waiter) => (answers.get(waiter) ?? 'wait') === 'wait');
    let unclaimed = 0n;
    for (const [waiter, answer] of answers) {
      if (answer === 'wait') continue;
      if (!present.has(waiter)) unclaimed += answer === 'granted' ? waiter.cost : 0n;
      else if (answer === 'granted') waiter.granted();
      else waiter.refused(answer);
    }
    return unclaimed;
  }

  /** Fails the requests that came at `until` or earlier, in monotonic milliseconds. */
  fail(until: number): void {
    const failed = this.waiters.filter(({ since }) => since <= until);
    this.waiters = this.waiters.filter(({ since }) => since > until);
    for (const waiter of failed) waiter.failed();
  }
}
