/** The bounds of what is kept of answers. They can be reloaded. */
export interface TaskBounds {
  /** Answers are deleted after so many days. */
  retentionDays(): number;
  /** The most answers of a task. */
  readonly answersOfTask: number;
  /** The most answers of all tasks together. */
  maxAnswers(): number;
}

/** The part of all answers that one workspace may have, so that it cannot take the room of all others. */
const WORKSPACE_PART = 0.5;

/** The most answers of a workspace, where all tasks together may have `max`. */
export const workspaceAnswersMax = (max: number): number => Math.max(1, Math.floor(max * WORKSPACE_PART));

/** Answers that are too old are looked for at this interval, in milliseconds. */
export const RETENTION_EVERY_MS = 60 * 60 * 1_000;
/** Nothing is deleted by its age until the calendar has been certain for so many milliseconds. */
export const RETENTION_DOUBT_MS = 60 * 60 * 1_000;
