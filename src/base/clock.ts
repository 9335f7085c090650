/** Time as a parameter: the one place that reads the system's clock. Tests pass a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970, for what is shown to people. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for durations. */
  monotonic(): number;
  /** Calls back once after `ms`; the function returned cancels it. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
