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

/** The fits of a task that are in force: of the version in use, and with the promise that the task wants. One per build. */
export const fitsInForce = (task: Task): readonly TaskFit[] =>
  task.fits.filter((fit) => promisesSame(fit, task));

/** The fit in force for a build; undefined: there is none. */
export const fitOf = (task: Task, build: string): TaskFit | undefined =>
  fitsInForce(task).find((fit) => fit.build === build);

/** The task with a further fit; null: it has changed since the fit was begun. */
export function withFit(task: Task, fit: TaskFit): Task | null {
  if (!promisesSame(task, fit)) return null;
  const others = task.fits.filter(({ build }) => build !== fit.build);
  return { ...task, fits: [fit, ...others].slice(0, FITS_MAX) };
}
