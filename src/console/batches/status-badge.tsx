import type { Batch } from '../api/api-types.js';

const MEANINGS: Record<Batch['status'], string> = {
  queued: 'queued',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** The status of a batch as a word with a border. */
export const StatusBadge = ({ status }: Pick<Batch, 'status'>) => (
  <span class={`badge ${status}`}>{MEANINGS[status] ?? status}</span>
);
