import { monthOf, type Pause } from '../../../../access/index.js';
import { SETTLED_MS } from '../../postgres/calendar.js';
import { type Queryable, statement } from '../../postgres/statement.js';

const PAUSE = statement(
  'batch-pause',
  `SELECT granted <= coalesce(charged, 0) AS spent, coalesce(budget <= 0, false) AS "withoutBudget",
     coalesce(month_charged >= budget, false) AS "budgetSpent", month, ${SETTLED_MS} AS now
   FROM workspaces LEFT JOIN accounts ON accounts.workspace = id WHERE id = $1`,
);

interface PauseRow {
  readonly spent: boolean;
  readonly withoutBudget: boolean;
  /** In `month`. */
  readonly budgetSpent: boolean;
  /** Null: nothing was ever charged. */
  readonly month: string | null;
  readonly now: number;
}

/** Why a workspace is paused, by what all nodes have charged and written; null if it is not. */
export async function storedPause(sql: Queryable, workspace: string): Promise<Pause | null> {
  const [row] = await sql.query<PauseRow>(PAUSE, [workspace]);
  if (row === undefined) return null;
  if (row.spent) return 'out_of_credit';
  const isSpent = row.withoutBudget || (row.budgetSpent && row.month === monthOf(row.now));
  return isSpent ? 'budget_exceeded' : null;
}
