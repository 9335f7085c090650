import type { KeyPage, Listed, ListedKey, ListedWorkspace, WorkspacePage } from '../../../access/index.js';
import {
  KEY_COLUMNS,
  type KeyRow,
  keyOf,
  WORKSPACE_COLUMNS,
  type WorkspaceRow,
  workspaceOf,
} from '../directory/directory-rows.js';
import type { Database } from '../postgres/database.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { getWorkspace } from './rows.js';

/** A key works at $1, by its own row; see `keyWorks`. */
const WORKS = '(keys.revoked IS NULL AND (keys.expires IS NULL OR keys.expires >= $1))';

/** The keys are counted of the workspaces of the page only. */
const WORKSPACES = `(SELECT *, CASE WHEN closed IS NULL THEN (
    SELECT count(*) FROM keys WHERE keys.workspace = workspaces.id AND ${WORKS}
  ) ELSE 0 END AS working_keys FROM workspaces)`;

/** The keys of all workspaces are counted at once, to sort by their number. */
const WORKSPACES_BY_KEYS = `(SELECT *, CASE WHEN closed IS NULL THEN coalesce(counts.working, 0) ELSE 0 END AS working_keys
  FROM workspaces LEFT JOIN (
    SELECT workspace, count(*) AS working FROM keys WHERE ${WORKS} GROUP BY workspace
  ) AS counts ON counts.workspace = workspaces.id)`;

const KEYS = '(SELECT keys.*, workspaces.closed FROM keys JOIN workspaces ON workspaces.id = keys.workspace)';

/** The columns of an order. What has no value is larger than any: PostgreSQL sorts it so. */
const WORKSPACE_ORDERS: Readonly<Record<NonNullable<WorkspacePage['sort']>, readonly string[]>> = {
  id: [],
  name: ['sorted_name'],
  created: ['created'],
  granted: ['granted'],
  working_keys: ['working_keys'],
};
const KEY_ORDERS: Readonly<Record<NonNullable<KeyPage['sort']>, readonly string[]>> = {
  workspace: ['workspace', 'created'],
  name: ['sorted_name'],
  created: ['created'],
  expires: ['expires'],
};

/** What a page selects, in SQL. */
interface Selection {
  /** Of the names of the statements. */
  readonly name: string;
  readonly table: string;
  readonly columns: string;
  readonly conditions: readonly string[];
  readonly order: readonly string[];
  readonly descending: boolean;
  /** The values of the parameters of table and conditions. */
  readonly values: readonly unknown[];
  readonly offset: number;
  readonly limit: number;
}

/** A page of the workspaces; see `Administration.pageOfWorkspaces`. */
export async function pageOfWorkspaces(
  database: Database,
  { search, sort = 'id', ...page }: WorkspacePage,
  now: number,
): Promise<Listed<ListedWorkspace>> {
  const { rows, total } = await select<WorkspaceRow & { readonly workingKeys: number }>(database, {
    ...page,
    name: `workspaces-${sort}`,
    table: sort === 'working_keys' ? WORKSPACES_BY_KEYS : WORKSPACES,
    columns: `${WORKSPACE_COLUMNS}, working_keys AS "workingKeys"`,
    conditions: search === undefined ? [] : [holds('$2', 'id', 'sorted_name')],
    order: WORKSPACE_ORDERS[sort],
    values: search === undefined ? [now] : [now, search],
  });
  return { items: rows.map((row) => ({ workspace: workspaceOf(row), workingKeys: row.workingKeys })), total };
}

/** A page of the keys; see `Administration.pageOfKeys`. */
export async function pageOfKeys(
  database: Database,
  { workspace, working, search, sort = 'created', ...page }: KeyPage,
  now: number,
): Promise<Listed<ListedKey>> {
  if (workspace !== undefined) await getWorkspace(database, workspace);
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    ...(working ? [`closed IS NULL AND ${WORKS.replace('$1', parameter(now))}`] : []),
    ...(workspace === undefined ? [] : [`workspace = ${parameter(workspace)}`]),
    ...(search === undefined ? [] : [holds(parameter(search), 'id', 'workspace', 'sorted_name')]),
  ];
  type Row = KeyRow & { readonly closed: number | null; readonly used: number | null };
  const { rows, total } = await select<Row>(database, {
    ...page,
    name: `keys-${sort}-${working ? 'working' : 'all'}-${workspace === undefined ? 'all' : 'of'}`,
    table: KEYS,
    columns: `${KEY_COLUMNS}, closed, (SELECT used FROM key_uses WHERE key_uses.key = keys.id) AS used`,
    conditions,
    order: KEY_ORDERS[sort],
    values,
  });
  const items = rows.map((row) => ({
    key: keyOf(row),
    workspace: { closed: row.closed },
    used: row.used ?? undefined,
  }));
  return { items, total };
}

/** A condition: one of the columns, in lower case, holds a text. */
const holds = (text: string, ...columns: readonly string[]): string =>
  `(${columns.map((column) => `position(${text} in lower(${column})) > 0`).join(' OR ')})`;

/** The rows of a page, and their number on all pages. */
function select<Row>(
  database: Database,
  { name, table, columns, conditions, order, descending, values, offset, limit }: Selection,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const direction = descending ? 'DESC' : 'ASC';
  const sorted = [...order, 'id'].map((column) => `${column} ${direction}`).join(', ');
  const alias = table === KEYS ? 'keys' : 'workspaces';
  const last = values.length;
  const suffix = `${name}-${direction}-${conditions.length}`;
  const count = statement(`count-${suffix}`, `SELECT count(*) AS total FROM ${table} AS ${alias} ${where}`);
  const rows = statement(
    `page-${suffix}`,
    `SELECT ${columns} FROM ${table} AS ${alias} ${where} ORDER BY ${sorted} LIMIT $${last + 1} OFFSET $${last + 2}`,
  );
  const most = Number.isFinite(limit) ? limit : null;
  return database.read(async (transaction: Queryable) => ({
    rows: await transaction.query<Row & object>(rows, [...values, most, offset]),
    total: (await transaction.query<{ total: number }>(count, values))[0]?.total ?? 0,
  }));
}
