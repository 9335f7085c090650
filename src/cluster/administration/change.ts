import {
  DATABASE_FORMAT,
  type Database,
  NOW_MS,
  type Queryable,
  requireFormat,
  statement,
} from '../../postgres/index.js';
import { type AuditRecord, auditEntry, isRecorded } from '../../store/index.js';
import { CHANGES_CHANNEL } from '../directory/directory.js';
import { writeMark } from '../directory/history.js';
import { addEntry } from './audit-log.js';

/** An administrative change in progress. The changes of all administrators run one after the other. */
export interface Change {
  readonly transaction: Queryable;
  /** Its number, for the rows that it writes. */
  readonly number: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly now: number;
  /** Adds an entry to the audit log, unless the record changes nothing. */
  audit(record: AuditRecord): Promise<void>;
}

// Locks the row, so that changes are committed in the order of their numbers.
const NEXT = statement(
  'change-next',
  `UPDATE service SET changes = changes + 1 WHERE id = 1 RETURNING changes AS number, format, ${NOW_MS} AS now`,
);
const NOTIFY = statement('change-notify', 'SELECT pg_notify($1, $2)');

/**
 * Runs `work` as one administrative change, and notifies the nodes. Nothing is changed if `work` throws. `actor`: who makes
 * the change, for the audit log. Rejects with what `work` throws; OperatorError if the database has another format;
 * DatabaseUnavailable.
 */
export async function inChange<Result>(
  database: Database,
  actor: string,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  let last = 0;
  const result = await database.transaction(async (transaction) => {
    const { number, now } = await begin(transaction);
    last = number;
    const audit = async (record: AuditRecord) => {
      const entry = auditEntry(now, actor, record);
      if (isRecorded(record, entry)) await addEntry(transaction, entry);
    };
    return work({ transaction, number, now, audit });
  });
  // Not in the transaction: databases without notifications refuse it, and the nodes poll anyway.
  await database.query(NOTIFY, [CHANGES_CHANNEL, String(last)]).catch(() => {});
  return result;
}

async function begin(transaction: Queryable): Promise<Pick<Change, 'number' | 'now'>> {
  const [row] = await transaction.query<{ number: number; format: number; now: number }>(NEXT);
  if (row?.format === DATABASE_FORMAT) {
    await writeMark(transaction, row.number);
    return row;
  }
  await requireFormat(transaction);
  throw new Error('the table service has no row');
}
