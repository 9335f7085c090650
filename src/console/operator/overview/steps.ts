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
