import { linesOfLabels } from '../../../../batch/index.js';
import type { Abort } from '../../../../engine/index.js';
import { type Queryable, statement } from '../../postgres/statement.js';
import { UNFINISHED } from './conditions.js';

// A report that was counted already has the same id: its process ended before it could remove the report.
const COUNT = statement(
  'batch-abort-count',
  `INSERT INTO batch_aborts (batch, line, count, last, reason)
   SELECT a.batch, a.line, 1, $3, $4
   FROM unnest($1::text[], $2::int[]) AS a(batch, line)
   JOIN batches b ON b.id = a.batch
   WHERE b.${UNFINISHED} AND a.line < b.lines
     AND NOT EXISTS (SELECT 1 FROM batch_results r WHERE r.batch = a.batch AND r.line = a.line)
   ON CONFLICT (batch, line) DO UPDATE
     SET count = batch_aborts.count + 1, last = excluded.last, reason = excluded.reason
     WHERE batch_aborts.last <> excluded.last`,
);

/** Counts an abort for every line that was in progress and has no result. Returns how many. */
export async function countAbort(sql: Queryable, { id, reason, labels }: Abort): Promise<number> {
  const lines = linesOfLabels(labels);
  const [batches, numbers] = [lines.map(([batch]) => batch), lines.map(([, line]) => line)];
  return sql.execute(COUNT, [batches, numbers, id, reason]);
}
