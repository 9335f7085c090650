import { type Amount, budgetMonths, type UsageRow } from '../../../access/index.js';
import { nextTurn } from '../../../base/index.js';
import { NOW_MS } from '../postgres/calendar-sql.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { type MonthRow, monthCharges } from './month-charges.js';

const ACCOUNTS = statement(
  'ledger-accounts',
  `SELECT workspace, charged, month, month_charged AS "monthCharged", (SELECT ${NOW_MS}) AS now
   FROM accounts WHERE workspace = ANY($1)`,
);
const USAGE = statement(
  'ledger-usage-of-key',
  `SELECT workspace, day, key, model, kind, price, requests, input_tokens AS "inputTokens", amount
   FROM usage WHERE workspace = $1 AND key = $2 AND day = ANY($3)`,
);
const RECALLED = statement(
  'ledger-recalled',
  'SELECT workspace FROM accounts WHERE workspace = ANY($1) AND exact',
);

/** What a workspace was charged: in total, and in the current month. */
interface StoredCharges {
  readonly charged: Amount;
  readonly monthCharged: Amount;
}

type Accounts = ReadonlyMap<string, StoredCharges>;

/** The accounts of workspaces, as written. Those that were never charged are missing. */
async function readAccounts(database: Queryable, workspaces: readonly string[]): Promise<Accounts> {
  const rows = await database.query<MonthRow & { charged: string; now: number }>(ACCOUNTS, [workspaces]);
  const now = rows[0]?.now ?? 0;
  const charges = await monthCharges(database, rows, budgetMonths(now, now));
  return new Map(
    rows.map((row) => [
      row.workspace,
      { charged: BigInt(row.charged), monthCharged: charges(row).monthCharged },
    ]),
  );
}

/** The counters of a key on some days, as written. */
export async function readUsageOf(
  database: Queryable,
  workspace: string,
  key: string,
  days: readonly string[],
): Promise<UsageRow[]> {
  type Row = Omit<UsageRow, 'price' | 'amount'> & { readonly price: string; readonly amount: string };
  const rows = await database.query<Row>(USAGE, [workspace, key, days]);
  return rows.map((row) => ({ ...row, price: BigInt(row.price), amount: BigInt(row.amount) }));
}

/** Those of the workspaces whose leases must be exact. */
export async function readRecalled(database: Queryable, workspaces: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ workspace: string }>(RECALLED, [workspaces]);
  return rows.map(({ workspace }) => workspace);
}

/** Reads accounts. Reads that begin in the same turn of the event loop share one statement. */
export class AccountReader {
  private requested = new Set<string>();
  private reading: Promise<Accounts> | null = null;

  constructor(private readonly database: Queryable) {}

  /** The account of a workspace, as written; undefined if it was never charged. Throws DatabaseUnavailable. */
  async read(workspace: string): Promise<StoredCharges | undefined> {
    this.requested.add(workspace);
    this.reading ??= nextTurn().then(() => this.readRequested());
    return (await this.reading).get(workspace);
  }

  private readRequested(): Promise<Accounts> {
    const { requested } = this;
    this.requested = new Set();
    this.reading = null;
    return readAccounts(this.database, [...requested]);
  }
}
