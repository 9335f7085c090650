import type { Outcome, OutcomeError } from '../archive.js';
import type { Calibrations } from '../archive-header.js';
import type { TargetDescription } from '../report.js';

/** A request that the target refused for now, with 429 or 503 and `Retry-After`. */
export interface Busy {
  readonly busy: OutcomeError;
  readonly retryAfterSeconds: number;
}

/** What answers requests. */
export interface Target {
  readonly description: TargetDescription;
  /** Of the builds that answer; absent: they are not known. */
  readonly calibrations?: Calibrations;
  /** Requests in progress at a time. */
  readonly concurrency: number;
  /**
   * Sends one decide request, once.
   *
   * @param body its JSON
   * @param rotations in how many orders of its options each choice is asked
   */
  ask(body: string, rotations: number): Promise<Outcome | Busy>;
  close(): Promise<void>;
}

/** Statuses after which the same request may succeed later. */
export const isTemporary = (status: number): boolean =>
  status >= 500 || [401, 402, 403, 408, 429].includes(status);
