import type { Value } from '../../store/index.js';

/** A batch as it is kept. Instants are milliseconds since 1970. */
export type Batch = Readonly<Value<'batches'>>;
export type BatchState = Batch['state'];

export type BatchEvent =
  /** A line has been given to the engine. */
  | 'line_started'
  /** No line is in progress, and none is still to be run; at least one was answered, or none. */
  | 'settled_answered'
  | 'settled_unanswered'
  /** The owner cancels. */
  | 'cancel'
  /** The 24 hours are over. */
  | 'window_ended'
  /** The key that submitted it was revoked, or has expired. */
  | 'key_ended';

/** `stay`: nothing changes. `refuse`: the caller is told `batch_finished`. `never`: a defect of ours. */
export type Transition = BatchState | 'stay' | 'refuse' | 'never';

/**
 * The life of a batch (contract 3).
 *
 * It is `queued` until its first line starts, then `running`. It finishes when every line is answered or given up: as
 * `done` where one was answered, as `failed` where none was. Three things end it sooner: its owner cancels, its
 * window ends, its key ends. From then on no line starts; those in progress return and count, and only with the last
 * of them it is finished. These are the states `cancelling`, `expiring` and `ending`, which callers see as what
 * they lead to, or, where that depends on the lines in progress, as `running`.
 *
 * Whoever comes first wins, but for two: a cancel is obeyed while expired lines return, and a key that ends stops
 * what expires, since nobody can collect that any more.
 */
export const TRANSITIONS: Readonly<Record<BatchState, Readonly<Record<BatchEvent, Transition>>>> = {
  queued: {
    line_started: 'running',
    // Lines may be given up before they run: a model that the workspace may no longer use.
    settled_answered: 'never',
    settled_unanswered: 'failed',
    cancel: 'cancelling',
    window_ended: 'expiring',
    key_ended: 'ending',
  },
  running: {
    line_started: 'stay',
    settled_answered: 'done',
    settled_unanswered: 'failed',
    cancel: 'cancelling',
    window_ended: 'expiring',
    key_ended: 'ending',
  },
  cancelling: {
    line_started: 'never',
    settled_answered: 'cancelled',
    settled_unanswered: 'cancelled',
    cancel: 'stay',
    window_ended: 'stay',
    key_ended: 'stay',
  },
  expiring: {
    line_started: 'never',
    settled_answered: 'done',
    settled_unanswered: 'failed',
    cancel: 'cancelling',
    window_ended: 'stay',
    key_ended: 'ending',
  },
  ending: {
    line_started: 'never',
    settled_answered: 'failed',
    settled_unanswered: 'failed',
    // Callers see it as failed already.
    cancel: 'refuse',
    window_ended: 'stay',
    key_ended: 'stay',
  },
  done: {
    line_started: 'never',
    settled_answered: 'never',
    settled_unanswered: 'never',
    cancel: 'refuse',
    window_ended: 'stay',
    key_ended: 'stay',
  },
  failed: {
    line_started: 'never',
    settled_answered: 'never',
    settled_unanswered: 'never',
    cancel: 'refuse',
    window_ended: 'stay',
    key_ended: 'stay',
  },
  cancelled: {
    line_started: 'never',
    settled_answered: 'never',
    settled_unanswered: 'never',
    cancel: 'stay',
    window_ended: 'stay',
    key_ended: 'stay',
  },
};

/** What callers are told of a state (contract 3). */
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

const RUNS = new Set<BatchState>(['queued', 'running']);
const FINISHED = new Set<BatchState>(['done', 'failed', 'cancelled']);

/** Whether lines of it may start. */
export const mayStart = ({ state }: Batch): boolean => RUNS.has(state);

/** Whether nothing of it changes any more but that it is collected and deleted. */
export const isFinished = ({ state }: Batch): boolean => FINISHED.has(state);
