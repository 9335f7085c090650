import { DriftMonitor } from '../../../src/statistics/index.js';
import { type Task, type TaskFit, TaskMonitor } from '../../../src/tasks/index.js';

/** A fit of a version with one question, which accepts answers from the confidence 0.7 on. */
export const fitOf = ({ version, targetError, confidence }: Task, at = 0): TaskFit => ({
  version,
  build: 'm-1',
  calibration: 'c',
  at,
  targetError,
  confidence,
  acceptances: [{ temperature: 1, threshold: 0.7 }],
});

/** The monitor of a fit of a version with one question, `q`, of two options. */
export const monitorOf = (fit: TaskFit): TaskMonitor => {
  const labelled = Array.from({ length: 40 }, (_, at) => (at % 4 === 0 ? [0.25, 0.75] : [0.75, 0.25]));
  return TaskMonitor.of(fit, ['q'], [DriftMonitor.of(labelled).state()]);
};
