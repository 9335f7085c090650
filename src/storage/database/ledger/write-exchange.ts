import type { Amount } from '../../../access/index.js';
import type { Transaction } from '../postgres/database.js';
import { statement } from '../postgres/statement.js';
import { ensure } from '../session/defect.js';
import type { UsageDelta } from './unwritten-usage.js';

/** The account and the lease of one workspace after an exchange. */
export interface AccountChange {
  readonly workspace: string;
  readonly charged: Amount;
  readonly month: string;
  readonly monthCharged: Amount;
  readonly leased: Amount;
  readonly exact: boolean;
  /** The lease of this node; 0: it has none. */
  readonly lease: Amount;
  readonly leaseExact: boolean;
}

const ACCOUNTS = statement(
  'ledger-write-accounts',
  `UPDATE accounts SET charged = change.charged, month = change.month, month_charged = change.month_charged,
     leased = change.leased, exact = change.exact
   FROM unnest($1::text[], $2::numeric[], $3::text[], $4::numeric[], $5::numeric[], $6::boolean[])
     AS change (workspace, charged, month, month_charged, leased, exact)
   WHERE accounts.workspace = change.workspace`,
);

const LEASES = statement(
  'ledger-write-leases',
  `INSERT INTO credit_leases (workspace, node, amount, exact)
   SELECT lease.workspace, $1::bigint, lease.amount, lease.exact
   FROM unnest($2::text[], $3::numeric[], $4::boolean[]) AS lease (workspace, amount, exact)
   ON CONFLICT (workspace, node) DO UPDATE SET amount = excluded.amount, exact = excluded.exact`,
);

const NO_LEASES = statement(
  'ledger-delete-leases',
  'DELETE FROM credit_leases WHERE node = $1 AND workspace = ANY($2)',
);

const USAGE = statement(
  'ledger-write-usage',
  `INSERT INTO usage (workspace, day, key, model, kind, price, requests, input_tokens, amount)
   SELECT delta.workspace, $1, delta.key, delta.model, delta.kind, delta.price, delta.requests, delta.tokens, delta.amount
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::numeric[], $7::bigint[], $8::bigint[], $9::numeric[])
     AS delta (workspace, key, model, kind, price, requests, tokens, amount)
   ON CONFLICT (workspace, day, key, model, kind, price) DO UPDATE SET requests = usage.requests + excluded.requests,
     input_tokens = usage.input_tokens + excluded.input_tokens, amount = usage.amount + excluded.amount`,
);

const NUMBER = statement(
  'ledger-number',
  'UPDATE nodes SET flushed = $2 WHERE id = $1 AND flushed = $2::bigint - 1',
);

/** Throws SessionDefect unless a statement has changed as many rows as it was given. */
function ensureAll(changed: number, given: number): void {
  ensure(changed === given, 'the database did not change all rows of an exchange');
}

/** Writes accounts and leases that `lockAccounts` has locked. Throws SessionDefect. */
export async function writeAccounts(
  transaction: Transaction,
  session: number,
  changes: readonly AccountChange[],
): Promise<void> {
  const column = <Key extends keyof AccountChange>(key: Key) => changes.map((change) => change[key]);
  const written = await transaction.execute(ACCOUNTS, [
    column('workspace'),
    column('charged'),
    column('month'),
    column('monthCharged'),
    column('leased'),
    column('exact'),
  ]);
  ensureAll(written, changes.length);
  const kept = changes.filter(({ lease }) => lease !== 0n);
  const ended = changes.filter(({ lease }) => lease === 0n).map(({ workspace }) => workspace);
  if (kept.length > 0) {
    const leased = await transaction.execute(LEASES, [
      session,
      kept.map(({ workspace }) => workspace),
      kept.map(({ lease }) => lease),
      kept.map(({ leaseExact }) => leaseExact),
    ]);
    ensureAll(leased, kept.length);
  }
  if (ended.length > 0) await transaction.execute(NO_LEASES, [session, ended]);
}

/** Adds to the counters of a day. The lock of an account covers its workspace's counters. Throws SessionDefect. */
export async function writeUsage(
  transaction: Transaction,
  day: string,
  deltas: readonly UsageDelta[],
): Promise<void> {
  if (deltas.length === 0) return;
  const column = <Key extends keyof UsageDelta>(key: Key) => deltas.map((delta) => delta[key]);
  const counted = await transaction.execute(USAGE, [
    day,
    column('workspace'),
    column('key'),
    column('model'),
    column('kind'),
    column('price'),
    column('requests'),
    column('inputTokens'),
    column('amount'),
  ]);
  ensureAll(counted, deltas.length);
}

/**
 * Writes the number of an exchange, from which `wasWritten` later finds whether it was committed. This must be the last
 * statement of the transaction, because it locks the row that heartbeats change. Throws SessionDefect if the database has
 * another number than the previous one.
 */
export async function writeNumber(transaction: Transaction, session: number, number: number): Promise<void> {
  const isNext = (await transaction.execute(NUMBER, [session, number])) === 1;
  ensure(isNext, 'the database does not have the previous exchange of this node');
}

// FOR NO KEY UPDATE waits for a transaction that has written its number and has not ended.
const READ_NUMBER = statement(
  'ledger-read-number',
  'SELECT flushed FROM nodes WHERE id = $1 FOR NO KEY UPDATE',
);

/** Whether an exchange was committed, once its transaction has ended; null: the session has ended. */
export async function wasWritten(
  transaction: Transaction,
  session: number,
  number: number,
): Promise<boolean | null> {
  const [row] = await transaction.query<{ flushed: number }>(READ_NUMBER, [session]);
  return row === undefined ? null : row.flushed >= number;
}
