import type { Amount, BudgetMonths } from '../../../access/index.js';
import { type Queryable, statement } from '../postgres/statement.js';

const CHARGED_IN_MONTH = statement(
  'ledger-charged-in-month',
  `SELECT workspace, sum(amount) AS amount FROM usage
   WHERE workspace = ANY($1) AND day >= $2 AND day <= $3 GROUP BY workspace`,
);

/** What an account has of a month, as written. */
export interface MonthRow {
  readonly workspace: string;
  /** The month of the last charge; null: there was none. */
  readonly month: string | null;
  readonly monthCharged: string;
}

export interface MonthCharges {
  /** What was charged in the current month. */
  readonly monthCharged: Amount;
  /** What counts against the budget. */
  readonly budgetCharged: Amount;
}

/**
 * What the workspaces of accounts were charged in the months of now. An account has the sum of one month, which may be
 * another one: the calendar may have been wrong. Then the charges are summed from the counters.
 */
export async function monthCharges(
  sql: Queryable,
  rows: readonly MonthRow[],
  { current, doubted }: BudgetMonths,
): Promise<(row: MonthRow) => MonthCharges> {
  const others = rows.filter(({ month }) => month !== current);
  const counted = await chargedIn(sql, others, current);
  const inDoubt = doubted === null ? null : await chargedIn(sql, rows, doubted);
  return ({ workspace, month, monthCharged: own }) => {
    const monthCharged = month === current ? BigInt(own) : (counted.get(workspace) ?? 0n);
    return { monthCharged, budgetCharged: monthCharged + (inDoubt?.get(workspace) ?? 0n) };
  };
}

/** What workspaces were charged in a month; those that were charged nothing are missing. */
async function chargedIn(
  sql: Queryable,
  rows: readonly MonthRow[],
  month: string,
): Promise<ReadonlyMap<string, Amount>> {
  if (rows.length === 0) return new Map();
  const sums = await sql.query<{ workspace: string; amount: string }>(CHARGED_IN_MONTH, [
    rows.map(({ workspace }) => workspace),
    `${month}-01`,
    `${month}-31`,
  ]);
  return new Map(sums.map(({ workspace, amount }) => [workspace, BigInt(amount)]));
}
