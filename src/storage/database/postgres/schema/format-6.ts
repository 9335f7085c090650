import type { MigrationStep } from './migration-step.js';
import { writeSortedNames } from './write-sorted-names.js';

/** What changes in format 6: the lists of the operator are sorted and searched in the database. */
export const FORMAT_6: readonly MigrationStep[] = [
  'ALTER TABLE workspaces ADD COLUMN sorted_name text COLLATE "C"',
  'ALTER TABLE keys ADD COLUMN sorted_name text COLLATE "C"',
  writeSortedNames('workspaces'),
  writeSortedNames('keys'),
  'CREATE INDEX workspaces_created ON workspaces (created, id)',
  'CREATE INDEX workspaces_granted ON workspaces (granted, id)',
  'CREATE INDEX workspaces_name ON workspaces (sorted_name, id)',
  'CREATE INDEX keys_created ON keys (created, id)',
  'CREATE INDEX keys_expires ON keys (expires, id)',
  'CREATE INDEX keys_name ON keys (sorted_name, id)',
  'DROP INDEX keys_workspace',
  'CREATE INDEX keys_workspace ON keys (workspace, created, id)',
];
