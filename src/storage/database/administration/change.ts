import { auditEntry, type Change, isRecorded } from '../../../access/index.js';
import { eraseBatch } from '../batches/tables/batch-events.js';
import { lockBatch } from '../batches/tables/batch-table.js';
import { CHANGES_CHANNEL } from '../directory/directory.js';
import { hasChange, type Moment, writeMark } from '../directory/history.js';
import { NOW_MS } from '../postgres/calendar-sql.js';
import { certainTransaction } from '../postgres/certain.js';
import type { Database, Transaction } from '../postgres/database.js';
import { requireUsableFormat } from '../postgres/schema/format.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { addAuditEntry } from './audit-log.js';
import { addGrant, findKey, findWorkspace, putKey, putWorkspace } from './rows.js';

/** A transaction for administrative changes. Those of all administrators run one after the other. */
interface OpenChange {
  readonly transaction: Queryable;
  /** Who makes the changes, for the audit log. */
  readonly actor: string;
  /** Its number, for the rows that it writes. */
  readonly number: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly now: number;
}

// Locks the row, so that changes are committed in the order of their numbers.
const NEXT = statement(
  'change-next',
  `UPDATE service SET changes = changes + 1 WHERE id = 1 RETURNING changes AS number, format, ${NOW_MS} AS now`,
);
// As NEXT does, it waits for the end of a change in progress.
const LOCK = statement('change-lock', 'SELECT changes FROM service WHERE id = 1 FOR UPDATE');
const NOTIFY = statement('change-notify', 'SELECT pg_notify($1, $2)');

/** What the work in a transaction has computed, and the mark of the transaction. */
interface Made<Result> {
  readonly result: Result;
  readonly moment: Moment;
}

/** Makes an administrative change in an open transaction. Rejects with AccessError. */
export async function makeChange<Result>(open: OpenChange, change: Change<Result>): Promise<Result> {
  const { transaction, actor, number, now } = open;
  const stored = change.key === undefined ? undefined : await findKey(transaction, change.key);
  const owner = change.workspace ?? stored?.workspace;
  const {
    result,
    workspace,
    keys = [],
    grant,
    erased,
    record,
  } = change.decide(
    {
      workspace: owner === undefined ? undefined : await findWorkspace(transaction, owner),
      key: stored,
      batch: change.batch === undefined ? undefined : (await lockBatch(transaction, change.batch))?.batch,
    },
    now,
  );
  if (workspace !== undefined) {
    await putWorkspace(transaction, workspace, number);
    if (grant !== undefined) await addGrant(transaction, workspace.id, now, grant);
  }
  for (const key of keys) await putKey(transaction, key, number);
  if (erased !== undefined) await eraseBatch(transaction, erased);
  if (record !== undefined) {
    const entry = auditEntry(now, actor, record);
    if (isRecorded(record, entry)) await addAuditEntry(transaction, entry);
  }
  return result;
}

/**
 * Runs `work` in one transaction for administrative changes, and notifies the nodes. Nothing is changed if `work` throws.
 * `actor`: who makes the changes, for the audit log. Rejects with what `work` throws; DatabaseUnavailable: nothing was
 * changed, also because the database has another format; CommitUnknown: the database was away for too long to tell.
 */
export async function inChange<Result>(
  database: Database,
  actor: string,
  work: (open: OpenChange) => Promise<Result>,
): Promise<Result> {
  const make = async (transaction: Transaction): Promise<Made<Result>> => {
    const { now, moment } = await begin(transaction);
    return { result: await work({ transaction, actor, number: moment.number, now }), moment };
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
  if (row === undefined) throw new Error('the table service has no row');
  requireUsableFormat(row.format);
  return { now: row.now, moment: await writeMark(transaction, row.number) };
}
