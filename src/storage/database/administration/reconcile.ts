import { booksOf, compare, orphanOf, type Reconciliation, type StoredSums } from '../../../access/index.js';
import { WORKSPACE_COLUMNS, type WorkspaceRow, workspaceOf } from '../directory/directory-rows.js';
import type { Database } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { REPORT_MS_MAX } from './reports.js';

// One statement, and so one snapshot: charges are written meanwhile.
const SUMS = statement(
  'reconcile-sums',
  `SELECT ${WORKSPACE_COLUMNS}, coalesce(grants.amount, 0) AS grants, coalesce(charged, 0) AS charged,
     coalesce(month_charged, 0) AS "monthCharged", coalesce(leased, 0) AS leased,
     coalesce(leases.amount, 0) AS leases, coalesce(used.amount, 0) AS used,
     coalesce(used.in_month, 0) AS "usedInMonth"
   FROM workspaces
   LEFT JOIN accounts ON accounts.workspace = id
   LEFT JOIN (SELECT workspace, sum(amount) AS amount FROM grants GROUP BY workspace) AS grants
     ON grants.workspace = id
   LEFT JOIN (SELECT workspace, sum(amount) AS amount FROM credit_leases GROUP BY workspace) AS leases
     ON leases.workspace = id
   LEFT JOIN (
     SELECT usage.workspace, sum(amount) AS amount,
       sum(CASE WHEN left(day, 7) = accounts.month THEN amount END) AS in_month
     FROM usage LEFT JOIN accounts ON accounts.workspace = usage.workspace GROUP BY usage.workspace
   ) AS used ON used.workspace = id
   ORDER BY id`,
);

const WRONG_COUNTERS = statement(
  'reconcile-counters',
  `SELECT workspace, day, key, model, kind, price, price * input_tokens AS cost, amount FROM usage
   WHERE price * input_tokens <> amount ORDER BY workspace, day, key, model, kind, price`,
);

const WITHOUT_WORKSPACE = 'NOT EXISTS (SELECT FROM workspaces WHERE workspaces.id = workspace)';

/** The rows of tables whose workspace does not exist, by the columns of their primary key. */
const ORPHANS = (
  [
    ['grants', ['workspace', 'number']],
    ['accounts', ['workspace']],
    ['usage', ['workspace', 'day', 'key', 'model', 'kind', 'price']],
    ['credit_leases', ['workspace', 'node']],
  ] as const
).map(([table, columns]) => {
  const text = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${WITHOUT_WORKSPACE} ORDER BY ${columns.join(', ')}`;
  return { table, rows: statement(`reconcile-orphans-${table}`, text) };
});

type SumsRow = WorkspaceRow & Readonly<Record<keyof StoredSums | 'leased' | 'leases', string>>;

interface CounterRow {
  readonly workspace: string;
  readonly day: string;
  readonly key: string;
  readonly model: string;
  readonly kind: string;
  readonly price: string;
  readonly cost: string;
  readonly amount: string;
}

/**
 * Verifies the ledger of each workspace; see `booksOf`. Also verifies that the amount of each counter is tokens × price, and
 * that what an account has leased is the sum of its leases.
 */
export function reconcile(database: Database): Promise<Reconciliation> {
  return database.read(
    async (transaction) => {
      const problems: string[] = [];
      await checkCounters(transaction, problems);
      const rows = await transaction.query<SumsRow>(SUMS);
      const books = rows.map((row) => {
        compare(
          problems,
          row.id,
          'leased against the sum of the leases',
          BigInt(row.leased),
          BigInt(row.leases),
        );
        return booksOf(workspaceOf(row), sumsOf(row), problems);
      });
      await findOrphans(transaction, problems);
      return { books, problems };
    },
    { statementMs: REPORT_MS_MAX },
  );
}

async function checkCounters(transaction: Queryable, problems: string[]): Promise<void> {
  for (const row of await transaction.query<CounterRow>(WRONG_COUNTERS)) {
    const { workspace, cost, amount, ...rest } = row;
    const parts = [workspace, ...Object.values(rest)].join(' ');
    compare(problems, workspace, `tokens × price of ${parts}`, BigInt(cost), BigInt(amount));
  }
}

async function findOrphans(transaction: Queryable, problems: string[]): Promise<void> {
  for (const { table, rows } of ORPHANS) {
    for (const row of await transaction.query<object>(rows)) {
      problems.push(orphanOf(table, Object.values(row)));
    }
  }
}

const sumsOf = ({ grants, charged, monthCharged, used, usedInMonth }: SumsRow): StoredSums => ({
  grants: BigInt(grants),
  charged: BigInt(charged),
  monthCharged: BigInt(monthCharged),
  used: BigInt(used),
  usedInMonth: BigInt(usedInMonth),
});
