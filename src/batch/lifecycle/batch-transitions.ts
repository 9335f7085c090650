import { BATCH_STATES, type BatchState } from '../../api/index.js';

export type { BatchState };

/** A batch as it is stored. Instants are milliseconds since 1970. */
export interface Batch {
  readonly id: string;
  /** The ids of the key that submitted it and of the workspace that pays for it. */
  readonly key: string;
  readonly workspace: string;
  /** Its place among the batches of its key. */
  readonly number: number;
  readonly state: BatchState;
  readonly lines: number;
  /** Number of pieces in which its lines are stored. */
  readonly chunks: number;
  /** Lines that were answered, and lines that were refused or given up. */
  readonly done: number;
  readonly failed: number;
  readonly models: readonly string[];
  readonly created: number;
  readonly started: number | null;
  readonly finished: number | null;
  readonly expires: number;
  readonly collected: number | null;
  /** Why it failed. */
  readonly reason: string | null;
  /** `amount` in units of 10⁻¹² of the currency, as a decimal string: JSON has no integers of that size. */
  readonly estimate: { readonly amount: string; readonly inputTokens: number; readonly rate: number };
  /** Calls of its webhook so far, and when the next one is due; null: none is. */
  readonly webhook: { readonly attempts: number; readonly due: number | null } | null;
  /** What the last call of its webhook came to. */
  readonly called?: { readonly outcome: string } | undefined;
  readonly deleted: boolean;
  /** Bytes that its lines take until it finishes, and its other values until it is deleted. */
  readonly stored?: { readonly lines: number; readonly other: number } | undefined;
}

export type BatchEvent =
  /** A line has started. */
  | 'line_started'
  /** No line is in progress and none will start. Some lines were answered, or none was. */
  | 'settled_answered'
  | 'settled_unanswered'
  /** The owner cancels. */
  | 'cancel'
  /** The 24 hours are over. */
  | 'window_ended'
  /** The key that submitted it was revoked, or has expired. */
  | 'key_ended'
  /** The operator erases it. */
  | 'erase';

/** `stay`: nothing changes. `refuse`: an error `batch_finished`. `never`: a defect in this program. */
type Transition = BatchState | 'stay' | 'refuse' | 'never';

/**
 * The life of a batch (contract 3).
 *
 * A batch is `queued` until its first line starts, then `running`. It finishes when every line is answered or given up:
 * as `done` if at least one was answered, else as `failed`. Three events end it sooner: its owner cancels, its window
 * ends, or its key ends. From then on no line starts; lines in progress still complete and count, and the batch finishes
 * with the last of them. These states are `cancelling`, `expiring` and `ending`. Callers see the status they lead to, or
 * `running` if that still depends on the lines in progress.
 *
 * The first of these events wins, with two exceptions: an expiring batch can still be cancelled, and the end of its key
 * overrides expiry, because the results can no longer be collected.
 *
 * The operator can erase a batch in every state: it counts as deleted from then on, and its owner no longer finds it. If
 * it has not finished, it is cancelled, and removed after the last line in progress.
 */
export const TRANSITIONS: Readonly<Record<BatchState, Readonly<Record<BatchEvent, Transition>>>> = {
  queued: {
    line_started: 'running',
    // Lines may be given up before they run, if the workspace may no longer use their model.
    settled_answered: 'never',
    settled_unanswered: 'failed',
    cancel: 'cancelling',
    window_ended: 'expiring',
    key_ended: 'ending',
    erase: 'cancelling',
  },
  running: {
    line_started: 'stay',
    settled_answered: 'done',
    settled_unanswered: 'failed',
    cancel: 'cancelling',
    window_ended: 'expiring',
    key_ended: 'ending',
    erase: 'cancelling',
  },
  cancelling: {
    line_started: 'never',
    settled_answered: 'cancelled',
    settled_unanswered: 'cancelled',
    cancel: 'stay',
    window_ended: 'stay',
    key_ended: 'stay',
    erase: 'stay',
  },
  expiring: {
    line_started: 'never',
    settled_answered: 'done',
    settled_unanswered: 'failed',
    cancel: 'cancelling',
    window_ended: 'stay',
    key_ended: 'ending',
    erase: 'cancelling',
  },
  ending: {
    line_started: 'never',
    settled_answered: 'failed',
    settled_unanswered: 'failed',
    // Callers already see it as failed.
    cancel: 'refuse',
    window_ended: 'stay',
    key_ended: 'stay',
    erase: 'stay',
  },
  done: {
    line_started: 'never',
    settled_answered: 'never',
    settled_unanswered: 'never',
    cancel: 'refuse',
    window_ended: 'stay',
    key_ended: 'stay',
    erase: 'stay',
  },
  failed: {
    line_started: 'never',
    settled_answered: 'never',
    settled_unanswered: 'never',
    cancel: 'refuse',
    window_ended: 'stay',
    key_ended: 'stay',
    erase: 'stay',
  },
  cancelled: {
    line_started: 'never',
    settled_answered: 'never',
    settled_unanswered: 'never',
    cancel: 'stay',
    window_ended: 'stay',
    key_ended: 'stay',
    erase: 'stay',
  },
};

/** The status callers see, by state (contract 3). */
export const STATUS_OF: Readonly<Record<BatchState, 'queued' | 'running' | 'done' | 'failed' | 'cancelled'>> =
  {
    queued: 'queued',
    running: 'running',
    cancelling: 'cancelled',
    expiring: 'running',
    ending: 'failed',
    done: 'done',
    failed: 'failed',
    cancelled: 'cancelled',
  };

/** The states that an event changes. */
export const changedBy = (event: BatchEvent): BatchState[] =>
  BATCH_STATES.filter((state) => (BATCH_STATES as readonly string[]).includes(TRANSITIONS[state][event]));

/** The states in which lines may start. */
export const STARTABLE: readonly BatchState[] = BATCH_STATES.filter(
  (state) => TRANSITIONS[state].line_started !== 'never',
);
/** The states in which a batch has ended. */
export const FINISHED: readonly BatchState[] = BATCH_STATES.filter(
  (state) =>
    TRANSITIONS[state].settled_answered === 'never' && TRANSITIONS[state].settled_unanswered === 'never',
);

/** Whether lines may start. */
export const mayStart = ({ state }: Batch): boolean => STARTABLE.includes(state);

/** Whether the batch has ended. After that it is only collected, its webhook called, and deleted. */
export const isFinished = ({ state }: Batch): boolean => FINISHED.includes(state);
