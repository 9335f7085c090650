/** What changes in format 6: the lists of the operator are sorted and searched in the database. */
export const FORMAT_6: readonly string[] = [
  // The name in lower case, as the program writes it: whether `lower` knows a letter depends on the locale of the database.
  'ALTER TABLE workspaces ADD COLUMN sorted_name text COLLATE "C"',
  'ALTER TABLE keys ADD COLUMN sorted_name text COLLATE "C"',
  'UPDATE workspaces SET sorted_name = lower(name) WHERE name IS NOT NULL',
  'UPDATE keys SET sorted_name = lower(name) WHERE name IS NOT NULL',
  'CREATE INDEX workspaces_created ON workspaces (created, id)',
  'CREATE INDEX workspaces_granted ON workspaces (granted, id)',
  'CREATE INDEX workspaces_name ON workspaces (sorted_name, id)',
  'CREATE INDEX keys_created ON keys (created, id)',
  'CREATE INDEX keys_expires ON keys (expires, id)',
  'CREATE INDEX keys_name ON keys (sorted_name, id)',
  'DROP INDEX keys_workspace',
  'CREATE INDEX keys_workspace ON keys (workspace, created, id)',
];
