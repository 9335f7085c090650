import { fitsInForce } from '../fits/task-fit.js';
import { hasCalibration } from '../task-answer.js';
import type { Task, TaskFit } from '../task-types.js';
import type { FirstLabels } from './task-monitor.js';

/**
 * The fits in force that first labels test, each with those of its build.
 *
 * @param task as it is stored when the labels are: then no fit in force has used one of them
 */
export const labelsByFit = (
  task: Task,
  firsts: readonly FirstLabels[],
): ReadonlyArray<readonly [fit: TaskFit, labels: readonly FirstLabels[]]> =>
  fitsInForce(task)
    .map((fit) => {
      const own = firsts.filter((each) => each.build === fit.build && hasCalibration(each, fit.calibration));
      return [fit, own] as const;
    })
    .filter(([, labels]) => labels.length > 0);
