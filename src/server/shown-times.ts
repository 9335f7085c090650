import type { Clock } from '../base/index.js';

/** A moment by both clocks of then, in milliseconds. */
interface Moment {
  /** Since 1970. */
  readonly at: number;
  readonly monotonic: number;
}

/**
 * The times to show for moments, oldest first, in milliseconds since 1970. A moment has the time of the calendar of then,
 * with two exceptions, for a calendar that was set back: it is no later than the calendar of now has it, and it follows the
 * moment before by no less than the monotonic clock has counted between both. Otherwise two moments could be shown at the
 * same time. The monotonic clock does not count a suspension, so times cannot be computed from it alone.
 */
export function shownTimes(
  moments: readonly Moment[],
  clock: Pick<Clock, 'now' | 'monotonic'>,
): readonly number[] {
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  let last: Moment | undefined;
  return moments.map((moment) => {
    const earliest = last === undefined ? moment.at : last.at + moment.monotonic - last.monotonic;
    const latest = now - (monotonic - moment.monotonic);
    const at = Math.min(Math.max(moment.at, Math.floor(earliest)), Math.ceil(latest));
    last = { ...moment, at };
    return at;
  });
}
