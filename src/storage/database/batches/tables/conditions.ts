import type { BatchState } from '../../../../api/index.js';
import {
  type BatchEvent,
  changedBy,
  FINISHED,
  KEPT_SUBMISSION_MS,
  STARTABLE,
} from '../../../../batch/index.js';
import { SETTLED_MS } from '../../postgres/calendar-sql.js';

/** Rules of batches and keys as conditions in SQL, generated from those of `batch/` and tested against those of `access/`. */

const listed = (states: readonly BatchState[]) => `(${states.map((state) => `'${state}'`).join(', ')})`;

/** `state` is not one in which the batch has finished. */
export const UNFINISHED = `state NOT IN ${listed(FINISHED)}`;

/** `state` is one in which lines may start. */
export const MAY_START = `state IN ${listed(STARTABLE)}`;

/** `state` is one that the event changes. */
export const isChangedBy = (event: BatchEvent): string => `state IN ${listed(changedBy(event))}`;

/** The key works: see `keyWorks`. `key`: the name that the statement gives the table. */
export const keyWorksIn = (key: string): string =>
  `(${key}.revoked IS NULL AND (${key}.expires IS NULL OR ${SETTLED_MS} <= ${key}.expires) AND NOT EXISTS (
    SELECT FROM workspaces AS owner WHERE owner.id = ${key}.workspace AND owner.closed IS NOT NULL
  ))`;

/** A submission counts no more for its idempotency key: see `isSubmissionOver`. `now`: milliseconds since 1970, in SQL. */
export const submissionIsOver = (now: string): string => `(at <= ${now} - ${KEPT_SUBMISSION_MS})`;
