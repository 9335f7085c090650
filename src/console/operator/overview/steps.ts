import type { OperatorHistory } from '../../../api/index.js';

/** The steps that plots of the history show: one hour. */
export const STEPS = 60;

/** The points of the last steps, oldest first; null: there is none of that step. */
export function stepsOf<Point extends { readonly time: string }>(
  points: readonly Point[],
  { time, step_seconds: seconds }: Pick<OperatorHistory, 'time' | 'step_seconds'>,
): ReadonlyArray<Point | null> {
  const steps: Array<Point | null> = Array.from({ length: STEPS }, () => null);
  for (const point of points) {
    const ago = Math.floor((Date.parse(time) - Date.parse(point.time)) / (seconds * 1_000));
    // The clock of the server may have been set back.
    const at = STEPS - 1 - ago;
    if (at >= 0 && at < STEPS) steps[at] = point;
  }
  return steps;
}

/**
 * When a step began, by its place, in milliseconds since 1970. Steps do not begin with the minutes of the clock: the time of
 * a step without a point is counted from the last step that has one.
 */
export function beginningIn(
  steps: ReadonlyArray<{ readonly time: string } | null>,
  { time, step_seconds: seconds }: Pick<OperatorHistory, 'time' | 'step_seconds'>,
): (at: number) => number {
  const step = seconds * 1_000;
  const known = steps.findLastIndex((each) => each !== null);
  const place = known === -1 ? STEPS - 1 : known;
  const begun = Date.parse(steps[place]?.time ?? time);
  return (at) => (steps[at] ? Date.parse(steps[at].time) : begun + (at - place) * step);
}
