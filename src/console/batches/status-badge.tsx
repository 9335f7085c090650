import type { Batch } from '../api/api-types.js';

/** The status of a batch as a word with a border. */
export const StatusBadge = ({ status }: Pick<Batch, 'status'>) => (
  <span class={`badge ${status}`}>{status}</span>
);
