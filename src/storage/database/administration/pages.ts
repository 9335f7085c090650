import type {
  KeyPage,
  Listed,
  ListedKey,
  ListedWorkspace,
  ListPlace,
  WorkspacePage,
} from '../../../access/index.js';
import { KEY_SORT, WORKSPACE_SORT } from '../../../api/index.js';
import {
  KEY_COLUMNS,
  type KeyRow,
  keyOf,
  WORKSPACE_COLUMNS,
  type WorkspaceRow,
  workspaceOf,
} from '../directory/directory-rows.js';
import type { Database } from '../postgres/database.js';
import { ONE_SNAPSHOT } from '../postgres/one-snapshot.js';
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
  readonly after?: ListPlace;
  readonly offset: number;
  readonly limit: number;
}

/** A page of the workspaces; see `Administration.pageOfWorkspaces`. */
export async function pageOfWorkspaces(
  database: Database,
  { search, sort = WORKSPACE_SORT, ...page }: WorkspacePage,
  now: number,
): Promise<Listed<ListedWorkspace>> {
  const { rows, ...found } = await select<WorkspaceRow & { readonly workingKeys: number }>(database, {
    ...page,
    name: `workspaces-${sort}`,
    table: sort === 'working_keys' ? WORKSPACES_BY_KEYS : WORKSPACES,
    columns: `${WORKSPACE_COLUMNS}, working_keys AS "workingKeys"`,
    conditions: search === undefined ? [] : [holds('$2', 'id', 'sorted_name')],
    order: WORKSPACE_ORDERS[sort],
    values: search === undefined ? [now] : [now, search],
  });
  return {
    ...found,
    items: rows.map((row) => ({ workspace: workspaceOf(row), workingKeys: row.workingKeys })),
  };
}

/** A page of the keys; see `Administration.pageOfKeys`. */
export async function pageOfKeys(
  database: Database,
  { workspace, working, search, sort = KEY_SORT, ...page }: KeyPage,
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
  const { rows, ...found } = await select<Row>(database, {
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
  return { ...found, items };
}

/** A condition: one of the columns, in lower case, holds a text. */
const holds = (text: string, ...columns: readonly string[]): string =>
  `(${columns.map((column) => `position(${text} in lower(${column})) > 0`).join(' OR ')})`;

/** A page in rows. */
interface Selected<Row> extends Omit<Listed<Row>, 'items'> {
  readonly rows: readonly Row[];
}

/** The rows of a page, their number on all pages, and how many come before the page: all of one snapshot. */
function select<Row>(
  database: Database,
  { name, table, columns, conditions, order, descending, values, after, offset, limit }: Selection,
): Promise<Selected<Row>> {
  const where = whereOf(conditions);
  const direction = descending ? 'DESC' : 'ASC';
  const sorts = [...order, 'id'];
  const behind = after && isBehind(sorts, descending, values.length + 1);
  const given = after ? [...values, ...after.values, after.id] : values;
  const alias = table === KEYS ? 'keys' : 'workspaces';
  const last = given.length;
  const suffix = `${name}-${direction}-${conditions.length}${after ? '-after' : ''}`;
  const count = statement(
    `count-${suffix}`,
    `SELECT count(*) AS total, count(*) FILTER (WHERE NOT (${behind ?? 'true'})) AS passed FROM ${table} AS ${alias} ${where}`,
  );
  const rows = statement(
    `page-${suffix}`,
    `SELECT ${columns} FROM ${table} AS ${alias} ${whereOf([...conditions, ...(behind ? [behind] : [])])}
     ORDER BY ${sorts.map((column) => `${column} ${direction}`).join(', ')} LIMIT $${last + 1} OFFSET $${last + 2}`,
  );
  const most = Number.isFinite(limit) ? limit : null;
  return database.read(async (transaction: Queryable) => {
    await transaction.execute(ONE_SNAPSHOT);
    const page = await transaction.query<Row & object>(rows, [...given, most, offset]);
    const [counts] = await transaction.query<{ total: number; passed: number }>(count, given);
    const { total, passed } = counts ?? { total: 0, passed: 0 };
    return { rows: page, total, offset: Math.min(total, passed + offset) };
  });
}

const whereOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;

/**
 * A condition, true or false: a row comes after the values of the parameters from `first` on. Comparisons of rows, as in
 * `(a, b) > ($1, $2)`, are unknown if a value is null.
 */
function isBehind([column, ...others]: readonly string[], descending: boolean, first: number): string {
  const value = `$${first}`;
  const larger = `coalesce(${column} > ${value}, ${column} IS NULL AND ${value} IS NOT NULL)`;
  const smaller = `coalesce(${column} < ${value}, ${column} IS NOT NULL AND ${value} IS NULL)`;
  const behind = descending ? smaller : larger;
  if (others.length === 0) return behind;
  const rest = isBehind(others, descending, first + 1);
  return `(${behind} OR (${column} IS NOT DISTINCT FROM ${value} AND ${rest}))`;
}
