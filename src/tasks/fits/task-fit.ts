import type { Task, TaskFit } from '../task-types.js';

/** Fits that a task keeps in force: those of the builds that were fitted last. */
export const FITS_MAX = 8;

/** Whether two fits, or a fit and a task, are of one version and promise the same. */
const promisesSame = (
  one: Pick<Task, 'version' | 'targetError' | 'confidence'>,
  other: Pick<Task, 'version' | 'targetError' | 'confidence'>,
): boolean =>
  one.version === other.version &&
  one.targetError === other.targetError &&
  one.confidence === other.confidence;

/**
 * The fits of a task that are of the version in use, and with the promise that the task wants. One per build: each is in force
 * while the build has the calibration of the fit.
 */
export const fitsInForce = (task: Task): readonly TaskFit[] =>
  task.fits.filter((fit) => promisesSame(fit, task));

/** A build that answers, and its calibration, if it is known; see `CatalogBuild`. */
type Answering = Pick<TaskFit, 'build'> & { readonly calibration?: string | undefined };

/** The fit in force for a build; undefined: there is none. One of another calibration was tested on other probabilities. */
export const fitOf = (task: Task, { build, calibration }: Answering): TaskFit | undefined =>
  fitsInForce(task).find(
    (fit) => fit.build === build && fit.calibration !== undefined && fit.calibration === calibration,
  );

/** A fit that would be in force for a build, if it were of its calibration; undefined: there is none. */
export const outdatedFitOf = (task: Task, answering: Answering): TaskFit | undefined =>
  fitOf(task, answering) === undefined
    ? fitsInForce(task).find(({ build }) => build === answering.build)
    : undefined;

/** The task with a further fit; null: it has changed since the fit was begun. */
export function withFit(task: Task, fit: TaskFit): Task | null {
  if (!promisesSame(task, fit)) return null;
  const others = task.fits.filter(({ build }) => build !== fit.build);
  return { ...task, fits: [fit, ...others].slice(0, FITS_MAX) };
}
