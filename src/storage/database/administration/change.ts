import { type AuditRecord, auditEntry, isRecorded } from '../../../access/index.js';
import { CHANGES_CHANNEL } from '../directory/directory.js';
import { hasChange, type Moment, writeMark } from '../directory/history.js';
import { NOW_MS } from '../postgres/calendar.js';
import { certainTransaction } from '../postgres/certain.js';
import type { Database, Transaction } from '../postgres/database.js';
import { requireFormat } from '../postgres/schema/format.js';
import { DATABASE_FORMAT } from '../postgres/schema/migrations.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { addAuditEntry } from './audit-log.js';

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
// As NEXT does, it waits for the end of a change in progress.
const LOCK = statement('change-lock', 'SELECT changes FROM service WHERE id = 1 FOR UPDATE');
const NOTIFY = statement('change-notify', 'SELECT pg_notify($1, $2)');

/** What a change has computed, and its mark. */
interface Made<Result> {
  readonly result: Result;
  readonly moment: Moment;
}

/**
 * Runs `work` as one administrative change, and notifies the nodes. Nothing is changed if `work` throws. `actor`: who makes
 * the change, for the audit log. Rejects with what `work` throws; OperatorError if the database has another format;
 * DatabaseUnavailable: nothing was changed; CommitUnknown: the database was away for too long to tell.
 */
export async function inChange<Result>(
  database: Database,
  actor: string,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  const make = async (transaction: Transaction): Promise<Made<Result>> => {
    const { now, moment } = await begin(transaction);
    const audit = async (record: AuditRecord) => {
      const entry = auditEntry(now, actor, record);
      if (isRecorded(record, entry)) await addAuditEntry(transaction, entry);
    };
    return { result: await work({ transaction, number: moment.number, now, audit }), moment };
  };
  const { result, moment } = await certainTransaction(database, make, async (transaction, made) => {
    await transaction.query(LOCK);
    return (await hasChange(transaction, made.moment)) ? made : null;
  });
  // Not in the transaction: databases without notifications refuse it, and the nodes poll anyway.
  await database.query(NOTIFY, [CHANGES_CHANNEL, String(moment.number)]).catch(() => {});
  return result;
}

async function begin(transaction: Transaction): Promise<{ readonly now: number; readonly moment: Moment }> {
  const [row] = await transaction.query<{ number: number; format: number; now: number }>(NEXT);
  if (row?.format === DATABASE_FORMAT) {
    return { now: row.now, moment: await writeMark(transaction, row.number) };
  }
  await requireFormat(transaction);
  throw new Error('the table service has no row');
}
