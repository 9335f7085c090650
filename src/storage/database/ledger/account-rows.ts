import { type Amount, monthOf } from '../../../access/index.js';
import { SETTLED_MS } from '../postgres/calendar-sql.js';
import type { Transaction } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { ensure } from '../session/defect.js';

/** The account of a workspace, and the lease of this node on it. Locked until the transaction ends. */
export interface LockedAccount {
  readonly workspace: string;
  readonly granted: Amount;
  readonly budget: Amount | null;
  readonly charged: Amount;
  /** The current month by the database's clock, and what was charged in it. */
  readonly month: string;
  readonly monthCharged: Amount;
  /** The sum of all leases. */
  readonly leased: Amount;
  readonly exact: boolean;
  /** The lease of this node. */
  readonly lease: Amount;
  /** Whether another node has a lease that is not exact. */
  readonly othersHold: boolean;
}

/** Accounts, locked, and the time of the database in milliseconds since 1970. */
interface LockedAccounts {
  readonly now: number;
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
     (SELECT ${SETTLED_MS}) AS now
   FROM accounts AS account
   JOIN workspaces AS workspace ON workspace.id = account.workspace
   LEFT JOIN credit_leases AS lease ON lease.workspace = account.workspace AND lease.node = $2
   WHERE account.workspace = ANY($1)`,
);

const CHARGED_IN_MONTH = statement(
  'ledger-charged-in-month',
  `SELECT workspace, sum(amount) AS amount FROM usage
   WHERE workspace = ANY($1) AND day >= $2 AND day <= $3 GROUP BY workspace`,
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
  const now = rows[0]?.now ?? 0;
  const month = monthOf(now);
  const begun = rows.filter((row) => row.month !== month).map(({ workspace }) => workspace);
  const charged = await chargedIn(transaction, begun, month);
  return { now, accounts: rows.map((row) => accountOf(row, month, charged)) };
}

/** The first exchange in a month begins it, with the sum of its counters: the clock may have been wrong before. */
function accountOf(row: Row, month: string, charged: ReadonlyMap<string, string>): LockedAccount {
  const monthCharged = row.month === month ? row.monthCharged : (charged.get(row.workspace) ?? '0');
  return {
    ...row,
    month,
    granted: BigInt(row.granted),
    budget: row.budget === null ? null : BigInt(row.budget),
    charged: BigInt(row.charged),
    monthCharged: BigInt(monthCharged),
    leased: BigInt(row.leased),
    lease: BigInt(row.lease),
  };
}

/** What workspaces were charged in a month; those that were charged nothing are missing. */
async function chargedIn(
  transaction: Queryable,
  workspaces: readonly string[],
  month: string,
): Promise<ReadonlyMap<string, string>> {
  if (workspaces.length === 0) return new Map();
  const rows = await transaction.query<{ workspace: string; amount: string }>(CHARGED_IN_MONTH, [
    workspaces,
    `${month}-01`,
    `${month}-31`,
  ]);
  return new Map(rows.map(({ workspace, amount }) => [workspace, amount]));
}
