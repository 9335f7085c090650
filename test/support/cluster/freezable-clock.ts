import { type Clock, systemClock } from '../../../src/base/index.js';

/** A clock that a test can freeze: time passes but no timer fires, as in a process that is stopped. */
export class FreezableClock implements Clock {
  private frozen = false;
  private skipped = 0;
  private held: (() => void)[] = [];

  now = () => systemClock.now();
  monotonic = () => systemClock.monotonic() + this.skipped;
  certainFor = () => Number.POSITIVE_INFINITY;
  settled = () => systemClock.now();

  after(ms: number, callback: () => void): () => void {
    let cancelled = false;
    const fire = () => {
      if (this.frozen) this.held.push(() => !cancelled && callback());
      else if (!cancelled) callback();
    };
    const cancel = systemClock.after(ms, fire);
    return () => {
      cancelled = true;
      cancel();
    };
  }

  freeze(): void {
    this.frozen = true;
  }

  /** Advances the monotonic clock without firing timers. */
  skip(ms: number): void {
    this.skipped += ms;
  }

  /** Fires the timers that were due meanwhile. */
  thaw(): void {
    this.frozen = false;
    for (const callback of this.held.splice(0)) callback();
  }
}
