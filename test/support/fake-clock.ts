/** A clock that stands still until it is moved. `start`: what the calendar shows first; durations begin at 0. */
export function fakeClock(start = 0) {
  let time = 0;
  let calendar = start;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => calendar + time,
    monotonic: () => time,
    certainFor: () => Number.POSITIVE_INFINITY,
    after(ms: number, callback: () => void) {
      const timer = { at: time + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Sets the calendar, as an administrator does: no time passes. */
    set(now: number) {
      calendar = now - time;
    },
    /** Moves time on as for a process that is stopped: what is due is called later. */
    pass(ms: number) {
      time += ms;
    },
    /** Moves time on and calls what is due. */
    advance(ms: number) {
      time += ms;
      for (const timer of [...timers].filter(({ at }) => at <= time)) {
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}
