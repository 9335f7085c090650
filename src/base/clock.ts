/** Time as a parameter. `systemClock` is the only reader of the system's clock; tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970: the calendar. */
  now(): number;
  /** Milliseconds of a monotonic clock, for durations. */
  monotonic(): number;
  /** Milliseconds for which the calendar has been certain (see `SteadyClock`); Infinity if it always was. */
  certainFor(): number;
  /** The calendar, by which keys expire and budgets begin anew: the last certain time until it is certain for JUMP_LASTS_MS. */
  settled(): number;
  /** Calls back once after `ms`, of any length; the returned function cancels it. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const DAY_MS = 24 * 60 * 60 * 1_000;

/** The longest delay of one Node timer: a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  certainFor: () => Number.POSITIVE_INFINITY,
  settled: () => Date.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      const part = Math.min(left, TIMER_MS_MAX);
      timer = setTimeout(() => (left > part ? wait(left - part) : callback()), part);
      timer.unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves in the next turn of the event loop, so that other pending events run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
