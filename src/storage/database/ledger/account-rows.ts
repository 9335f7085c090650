import { type Amount, type BudgetMonths, budgetMonths } from '../../../access/index.js';
import { NOW_MS, SETTLED_MS } from '../postgres/calendar-sql.js';
import type { Transaction } from '../postgres/database.js';
import { statement } from '../postgres/statement.js';
import { ensure } from '../session/defect.js';
import { type MonthCharges, monthCharges } from './month-charges.js';

/** The account of a workspace, and the lease of this node on it. Locked until the transaction ends. */
export interface LockedAccount {
  readonly workspace: string;
  readonly granted: Amount;
  readonly budget: Amount | null;
  readonly charged: Amount;
  /** What was charged in the current month. */
  readonly monthCharged: Amount;
  /** What counts against the budget. */
  readonly budgetCharged: Amount;
  /** The sum of all leases. */
  readonly leased: Amount;
  readonly exact: boolean;
  /** The lease of this node. */
  readonly lease: Amount;
  /** Whether another node has a lease that is not exact. */
  readonly othersHold: boolean;
}

/** Accounts, locked, and the time of the cluster's calendar in milliseconds since 1970. */
interface LockedAccounts {
  readonly now: number;
  readonly months: BudgetMonths;
  readonly accounts: readonly LockedAccount[];
}

interface Row {
  readonly workspace: string;
  readonly granted: string;
  readonly budget: string | null;
  readonly charged: string;
  readonly month: string;
  readonly monthCharged: string;
  readonly leased: string;
  readonly exact: boolean;
  readonly lease: string;
  readonly othersHold: boolean;
  readonly now: number;
  readonly settled: number;
}

const LOCK = statement(
  'ledger-lock-accounts',
  'SELECT workspace FROM accounts WHERE workspace = ANY($1) ORDER BY workspace FOR UPDATE',
);

const ADD = statement(
  'ledger-add-accounts',
  `INSERT INTO accounts (workspace, month)
   SELECT id, $2 FROM workspaces WHERE id = ANY($1) ORDER BY id ON CONFLICT DO NOTHING`,
);

// A statement of its own: it sees what was committed while LOCK waited. Leases change only under the lock of the account.
const READ = statement(
  'ledger-read-accounts',
  `SELECT account.workspace, workspace.granted, workspace.budget, account.charged, account.month,
     account.month_charged AS "monthCharged", account.leased, account.exact, coalesce(lease.amount, 0) AS lease,
     EXISTS (
       SELECT FROM credit_leases AS other
       WHERE other.workspace = account.workspace AND other.node <> $2 AND NOT other.exact
     ) AS "othersHold",
     (SELECT ${NOW_MS}) AS now, (SELECT ${SETTLED_MS}) AS settled
   FROM accounts AS account
   JOIN workspaces AS workspace ON workspace.id = account.workspace
   LEFT JOIN credit_leases AS lease ON lease.workspace = account.workspace AND lease.node = $2
   WHERE account.workspace = ANY($1)`,
);

/**
 * Locks the accounts of workspaces until the end of the transaction, in an order that is the same for all transactions.
 * Throws SessionDefect if a workspace does not exist.
 */
export async function lockAccounts(
  transaction: Transaction,
  workspaces: readonly string[],
  session: number,
): Promise<LockedAccounts> {
  const locked = await transaction.query(LOCK, [workspaces]);
  if (locked.length < workspaces.length) {
    // The first charges of a workspace. The month is corrected below.
    await transaction.execute(ADD, [workspaces, '']);
    await transaction.query(LOCK, [workspaces]);
  }
  const rows = await transaction.query<Row>(READ, [workspaces, session]);
  ensure(rows.length === workspaces.length, 'the database does not have a workspace of an exchange');
  const { now, settled } = rows[0] ?? { now: 0, settled: 0 };
  const months = budgetMonths(now, settled);
  const charged = await monthCharges(transaction, rows, months);
  return { now, months, accounts: rows.map((row) => accountOf(row, charged(row))) };
}

const accountOf = (row: Row, charged: MonthCharges): LockedAccount => ({
  ...row,
  ...charged,
  granted: BigInt(row.granted),
  budget: row.budget === null ? null : BigInt(row.budget),
  charged: BigInt(row.charged),
  leased: BigInt(row.leased),
  lease: BigInt(row.lease),
});
