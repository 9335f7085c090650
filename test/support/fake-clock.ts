interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. `start`: the calendar at first; durations begin at 0. */
export function fakeClock(start = 0) {
  let time = 0;
  let calendar = start;
  const timers = new Set<Timer>();
  let onArmed: (() => void)[] = [];

  return {
    now: () => calendar + time,
    monotonic: () => time,
    certainFor: () => Number.POSITIVE_INFINITY,
    settled: () => calendar + time,
    after(ms: number, callback: () => void) {
      const timer = { at: time + ms, callback };
      timers.add(timer);
      const resolves = onArmed;
      onArmed = [];
      for (const resolve of resolves) resolve();
      return () => void timers.delete(timer);
    },
    /** How many timers are set. */
    timers: () => timers.size,
    /** Resolves when a timer is set. */
    async armed(): Promise<void> {
      while (timers.size === 0) await new Promise<void>((resolve) => onArmed.push(resolve));
    },
    /** Sets the calendar, as an administrator does: no time passes. */
    set(now: number) {
      calendar = now - time;
    },
    /** Moves time without calling timers, as for a process that is stopped: they are called by the next `advance`. */
    pass(ms: number) {
      time += ms;
    },
    /** Moves time, then calls the timers that are due, in their order; those that they set wait for the next call. */
    advance(ms: number) {
      time += ms;
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at <= time && timers.delete(timer)) timer.callback();
      }
    },
  };
}
