import { monthOf, type Pause, pauseOf } from '../../../../access/index.js';
import { SETTLED_MS } from '../../postgres/calendar.js';
import { type Queryable, statement } from '../../postgres/statement.js';

const FUNDS = statement(
  'batch-pause',
  `SELECT granted, budget, coalesce(charged, 0) AS charged, coalesce(month_charged, 0) AS "monthCharged", month,
     ${SETTLED_MS} AS now
   FROM workspaces LEFT JOIN accounts ON accounts.workspace = id WHERE id = $1`,
);

interface FundsRow {
  readonly granted: string;
  readonly budget: string | null;
  readonly charged: string;
  /** In `month`. */
  readonly monthCharged: string;
  /** Null: nothing was ever charged. */
  readonly month: string | null;
  readonly now: number;
}

/** Why a workspace is paused, by what all nodes have charged and written; null if it is not. */
export async function storedPause(sql: Queryable, workspace: string): Promise<Pause | null> {
  const [row] = await sql.query<FundsRow>(FUNDS, [workspace]);
  if (row === undefined) return null;
  const { granted, budget, charged, monthCharged, month, now } = row;
  return pauseOf(
    { granted: BigInt(granted), budget: budget === null ? null : BigInt(budget) },
    { charged: BigInt(charged), monthCharged: month === monthOf(now) ? BigInt(monthCharged) : 0n },
  );
}
