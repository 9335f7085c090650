// Entry of the thread that fits tasks to their labels: it opens every label, and computes for up to seconds.
import { type FittedTask, type FitWork, fitLabels } from './fit-labels.js';

/** Fits every question of a task to its labels. */
export function fit(work: FitWork): FittedTask {
  return fitLabels(work);
}
