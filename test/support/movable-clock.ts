import type { Clock } from '../../src/base/index.js';

/** A clock that runs as the system's does, and can be moved on: what falls due on the way happens at once. */
export interface MovableClock extends Clock {
  /** Moves calendar and durations on by so many milliseconds. */
  advance(ms: number): void;
  /** Its readings stand still until `work` ends, however long that takes; timers go on. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  handle: NodeJS.Timeout;
}

/** A server of which the test moves the hours and days; its seconds pass by themselves. */
export function movableClock(): MovableClock {
  let ahead = 0;
  /** What the system's clocks showed when the readings stopped; null: they run. */
  let stopped: { readonly monotonic: number; readonly calendar: number } | null = null;
  const timers = new Set<Timer>();
  const monotonic = () => (stopped?.monotonic ?? performance.now()) + ahead;
  const now = () => (stopped?.calendar ?? Date.now()) + ahead;
  const arm = (due: number, fire: () => void) =>
    setTimeout(fire, Math.max(0, Math.ceil(due - monotonic()))).unref();
  const fire = (timer: Timer) => {
    if (!timers.delete(timer)) return;
    clearTimeout(timer.handle);
    timer.callback();
  };
  return {
    now,
    settled: now,
    monotonic,
    certainFor: () => Number.POSITIVE_INFINITY,
    after(ms, callback) {
      const due = monotonic() + ms;
      const timer: Timer = { due, callback, handle: arm(due, () => fire(timer)) };
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer.handle);
      };
    },
    async during(work) {
      const began = { monotonic: performance.now(), calendar: Date.now() };
      stopped = began;
      try {
        return await work();
      } finally {
        stopped = null;
        ahead -= Math.floor(performance.now() - began.monotonic);
      }
    },
    advance(ms) {
      ahead += ms;
      for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
        clearTimeout(timer.handle);
        if (timer.due <= monotonic()) fire(timer);
        else timer.handle = arm(timer.due, () => fire(timer));
      }
    },
  };
}
