/** What shows that a failover has lost commits; outcomes of webhooks. */
export const FORMAT_2: readonly string[] = [
  // Random ids: after a failover that lost commits, a sequence would give the id of a live session to another one.
  'ALTER TABLE nodes ALTER COLUMN id DROP IDENTITY',
  'ALTER TABLE nodes ALTER COLUMN id SET DEFAULT floor(random() * 9007199254740992)::bigint',
  // A random value for each of the last administrative changes. A failover that loses changes gives their numbers to others.
  'CREATE TABLE change_marks (number bigint PRIMARY KEY, mark uuid NOT NULL)',
  // What the last call of a webhook came to.
  'ALTER TABLE batches ADD COLUMN webhook_outcome text',
];
