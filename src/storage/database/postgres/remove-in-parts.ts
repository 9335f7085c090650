import type { Queryable, Statement } from './statement.js';

/** Rows that one statement removes. */
export const REMOVED_MAX = 1_000;

/**
 * Runs a statement that removes up to `REMOVED_MAX` rows until it removes fewer. Once `signal` aborts, it resolves after the
 * statement in progress.
 */
export async function removeInParts(
  sql: Queryable,
  remove: Statement,
  values: readonly unknown[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await sql.execute(remove, values)) === REMOVED_MAX);
}
