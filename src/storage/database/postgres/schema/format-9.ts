/** What changes in format 9: numbers of answers that do not end, and what is too old is found without a look at every row. */
export const FORMAT_9: readonly string[] = [
  'ALTER TABLE task_answers ALTER COLUMN number TYPE bigint',
  'CREATE INDEX task_answers_at ON task_answers (at)',
  'CREATE INDEX task_labels_at ON task_labels (at)',
];
