import {
  type Balance,
  checkDays,
  type UsageFilter,
  type UsageRow,
  type Workspace,
} from '../../../access/index.js';
import { NOW_MS } from '../postgres/calendar-sql.js';
import type { Database } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { getKey, getWorkspace } from './rows.js';

/** The longest time of a statement of a report, in milliseconds. It may read the counters of years. */
export const REPORT_MS_MAX = 10 * 60 * 1_000;

const BALANCE = statement(
  'report-balance',
  `SELECT
     coalesce((SELECT charged FROM accounts WHERE workspace = $1), 0) AS charged,
     coalesce((SELECT sum(amount) FROM usage
       WHERE workspace = $1 AND day >= now.month || '-01' AND day <= now.month || '-31'), 0) AS "monthCharged"
   FROM (SELECT to_char(to_timestamp(${NOW_MS} / 1000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month) AS now`,
);

/**
 * The stored balance of a workspace, without charges that nodes have not written yet. The month is that of the cluster's
 * calendar.
 */
export async function balanceOf(database: Queryable, { id, granted }: Workspace): Promise<Balance> {
  const [row] = await database.query<{ charged: string; monthCharged: string }>(BALANCE, [id]);
  const charged = BigInt(row?.charged ?? 0);
  return { charged, balance: granted - charged, monthCharged: BigInt(row?.monthCharged ?? 0) };
}

/** The conditions of a filter, in the order of their parameters. */
const CONDITIONS: Readonly<Record<keyof UsageFilter, string>> = {
  workspace: 'workspace =',
  key: 'key =',
  model: 'model =',
  from: 'day >=',
  to: 'day <=',
};

interface StoredUsage extends Omit<UsageRow, 'price' | 'amount'> {
  readonly price: string;
  readonly amount: string;
}

/** See `Administration.usage`. Throws AccessError. */
export async function readUsage(database: Database, filter: UsageFilter): Promise<UsageRow[]> {
  checkDays(filter);
  if (filter.key !== undefined) await getKey(database, filter.key);
  if (filter.workspace !== undefined) await getWorkspace(database, filter.workspace);
  // No model has such a name, and PostgreSQL rejects a text with NUL.
  if (filter.model?.includes('\0')) return [];
  const [usage, values] = usageStatement(filter);
  const rows = await database.read((transaction) => transaction.query<StoredUsage>(usage, values), {
    statementMs: REPORT_MS_MAX,
  });
  return rows.map((row) => ({ ...row, price: BigInt(row.price), amount: BigInt(row.amount) }));
}

/** A statement for the given conditions alone, so that the database uses the index for them. */
function usageStatement(filter: UsageFilter): [ReturnType<typeof statement>, unknown[]] {
  const given = (Object.keys(CONDITIONS) as (keyof UsageFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = given.map((name, at) => `${CONDITIONS[name]} $${at + 1}`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const text = `SELECT workspace, day, key, model, kind, price, requests, input_tokens AS "inputTokens", amount
    FROM usage ${where} ORDER BY workspace, day, key, model, kind, price`;
  return [statement(['report-usage', ...given].join('-'), text), given.map((name) => filter[name])];
}
