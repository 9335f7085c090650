/**
 * What changes in format 9: numbers of answers do not end at 2^31 - 1, indexes find the answers, labels and counts of
 * requests that are too old, and a chunk that is given back keeps the tries of its lines, as JSON.
 */
export const FORMAT_9: readonly string[] = [
  'ALTER TABLE task_answers ALTER COLUMN number TYPE bigint',
  'CREATE INDEX task_answers_at ON task_answers (at)',
  'CREATE INDEX task_labels_at ON task_labels (at)',
  'ALTER TABLE batch_chunks ADD COLUMN tried text',
  'CREATE INDEX request_rates_second ON request_rates (second)',
];
