/** The states of a batch, in the order of its life. The transitions are in `batch/lifecycle`. */
export const BATCH_STATES = [
  'queued',
  'running',
  'cancelling',
  'expiring',
  'ending',
  'done',
  'failed',
  'cancelled',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];
