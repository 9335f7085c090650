// Entry of the thread that fits tasks to their labels: it opens every label, and computes for up to seconds.
import type { ShadowCounts } from '../../statistics/index.js';
import { type CompareWork, compareLabels } from '../shadow/compare-labels.js';
import { type FittedTask, type FitWork, fitLabels } from './fit-labels.js';

/** Compares the labelled answers of a build with those of a shadow build. */
export function compare(work: CompareWork): ShadowCounts[] {
  return compareLabels(work);
}

/** Fits every question of a task to its labels. */
export function fit(work: FitWork): FittedTask {
  return fitLabels(work);
}
