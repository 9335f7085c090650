import type { Queryable } from '../statement.js';

/** Part of a migration: an SQL statement, or what SQL cannot compute. */
export type MigrationStep = string | ((transaction: Queryable) => Promise<void>);
