import type { BatchFilter, NewestBatches } from '../../../../batch/index.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { type BatchRow, batchColumns, batchOf } from './batch-rows.js';

const NEWEST = statement(
  'batches-newest',
  `SELECT ${batchColumns()} FROM batches
   WHERE NOT deleted AND ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR workspace = $2)
   ORDER BY created DESC, id LIMIT $3`,
);

/** The newest batches of all keys, except deleted ones. Reads every batch. */
export async function newestBatches(
  sql: Queryable,
  { state, workspace, limit }: BatchFilter,
): Promise<NewestBatches> {
  const rows = await sql.query<BatchRow>(NEWEST, [state ?? null, workspace ?? null, limit + 1]);
  return { batches: rows.slice(0, limit).map(batchOf), more: rows.length > limit };
}
