/** What changes in format 5: names of keys and workspaces, closed workspaces, and when keys were last used. */
export const FORMAT_5: readonly string[] = [
  'ALTER TABLE workspaces ADD COLUMN name text',
  'ALTER TABLE workspaces ADD COLUMN closed bigint',
  'ALTER TABLE keys ADD COLUMN name text',
  // Not in `keys`: nodes write it, and rows of `keys` are copied to all nodes when they change.
  'CREATE TABLE key_uses (key text COLLATE "C" PRIMARY KEY, used bigint NOT NULL)',
];
