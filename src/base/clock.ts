/** Time as a parameter: the one place that reads the system's clock. Tests pass a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970: the calendar. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for durations. */
  monotonic(): number;
  /** Milliseconds for which the calendar has been certain (see `SteadyClock`); Infinity where it always was. */
  certainFor(): number;
  /** Calls back once after `ms`, however long that is; the function returned cancels it. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** The longest wait of one Node timer: a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  certainFor: () => Number.POSITIVE_INFINITY,
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
