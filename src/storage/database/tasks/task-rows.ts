import type { TaskCounts, TaskRow } from '../../../tasks/index.js';
import { NOW_MS } from '../postgres/calendar-sql.js';
import type { Transaction } from '../postgres/database.js';
import { guardFormat } from '../postgres/schema/format.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { deleteShadow } from './shadows.js';

/** A row of a task, its name, and the sealed data key of the task. */
export interface FoundTask extends TaskRow {
  readonly name: string;
  readonly key: Buffer;
}

const COLUMNS = 't.name, t.id, t.created, t.changed, t.version, t.bytes, t.sealed, k.sealed AS key';
const TASKS = `FROM tasks t JOIN data_keys k ON k.owner = t.id WHERE t.workspace = $1`;

const FIND = statement('task-find', `SELECT ${COLUMNS} ${TASKS} AND t.name = $2`);
const LIST = statement('task-list', `SELECT ${COLUMNS} ${TASKS} ORDER BY t.name`);
const COUNTS = statement(
  'task-counts',
  `SELECT t.id, t.answers - t.oldest AS answers,
     (SELECT count(*) FROM task_labels l WHERE l.task = t.id AND l.version = t.version) AS labels
   FROM tasks t WHERE t.workspace = $1`,
);
const OTHERS = statement(
  'task-others',
  `SELECT count(*) AS count, coalesce(sum(bytes), 0)::bigint AS bytes FROM tasks WHERE workspace = $1 AND name <> $2`,
);
const VERSION = statement(
  'task-version',
  `SELECT v.sealed, k.sealed AS key FROM task_versions v JOIN data_keys k ON k.owner = v.task
   WHERE v.task = $1 AND v.version = $2`,
);
// The row of the workspace changes seldom, so that nothing else waits for the lock.
const LOCK = statement('task-lock', 'SELECT id FROM workspaces WHERE id = $1 FOR UPDATE');
// A statement of its own: it must see what was committed while the row was locked by another transaction.
const NOW = statement('task-now', `SELECT ${NOW_MS} AS now`);
const PUT = statement(
  'task-put',
  `INSERT INTO tasks (workspace, name, id, created, changed, version, bytes, sealed)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (workspace, name) DO UPDATE SET changed = excluded.changed, version = excluded.version,
     bytes = excluded.bytes, sealed = excluded.sealed`,
);
const PUT_VERSION = statement(
  'task-version-put',
  `INSERT INTO task_versions (task, version, sealed) VALUES ($1, $2, $3)
   ON CONFLICT (task, version) DO UPDATE SET sealed = excluded.sealed`,
);
const DELETE = statement('task-delete', 'DELETE FROM tasks WHERE workspace = $1 AND name = $2 RETURNING id');
const DELETE_KEY = statement('task-key-delete', 'DELETE FROM data_keys WHERE owner = $1');
const DELETE_ANSWERS = statement('task-answers-delete', 'DELETE FROM task_answers WHERE task = $1');
const DELETE_LABELS = statement('task-labels-delete', 'DELETE FROM task_labels WHERE task = $1');
const PUT_FIT = statement(
  'task-fit-put',
  `INSERT INTO task_fits (task, build, sealed) VALUES ($1, $2, $3)
   ON CONFLICT (task, build) DO UPDATE SET sealed = excluded.sealed`,
);
const FIT = statement(
  'task-fit',
  `SELECT f.sealed, k.sealed AS key FROM task_fits f JOIN data_keys k ON k.owner = f.task
   WHERE f.task = $1 AND f.build = $2`,
);
const DELETE_FITS = statement('task-fits-delete', 'DELETE FROM task_fits WHERE task = $1');
const DELETE_MONITORS = statement('task-monitors-delete', 'DELETE FROM task_monitors WHERE task = $1');
const DELETE_VERSIONS = statement('task-versions-delete', 'DELETE FROM task_versions WHERE task = $1');

/** Undefined: there is none. */
export async function findTask(
  sql: Queryable,
  workspace: string,
  name: string,
): Promise<FoundTask | undefined> {
  return (await sql.query<FoundTask>(FIND, [workspace, name]))[0];
}

/** The tasks of a workspace, by name. */
export const listTasks = (sql: Queryable, workspace: string): Promise<FoundTask[]> =>
  sql.query<FoundTask>(LIST, [workspace]);

/** What is kept about each task of a workspace, by the id of the task. */
export async function countTasks(
  sql: Queryable,
  workspace: string,
): Promise<ReadonlyMap<string, TaskCounts>> {
  const rows = await sql.query<TaskCounts & { readonly id: string }>(COUNTS, [workspace]);
  return new Map(rows.map(({ id, answers, labels }) => [id, { answers, labels }]));
}

/** How many other tasks a workspace has, and the bytes of their questions. */
export async function otherTasks(
  sql: Queryable,
  workspace: string,
  name: string,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const rows = await sql.query<{ count: number; bytes: number }>(OTHERS, [workspace, name]);
  return rows[0] as { count: number; bytes: number };
}

/** The sealed questions of a version, or the list of versions, and the sealed data key; undefined if the task was deleted. */
export async function findVersion(
  sql: Queryable,
  task: string,
  version: number,
): Promise<{ readonly sealed: Buffer; readonly key: Buffer } | undefined> {
  return (await sql.query<{ sealed: Buffer; key: Buffer }>(VERSION, [task, version]))[0];
}

/**
 * Locks the tasks of a workspace, and the format of the database, until the transaction ends. Resolves with the time, in
 * milliseconds since 1970. The workspace exists: its key has been authenticated.
 */
export async function lockTasks(sql: Transaction, workspace: string): Promise<number> {
  await guardFormat(sql);
  await sql.query(LOCK, [workspace]);
  const [row] = (await sql.query<{ now: number }>(NOW)) as [{ now: number }];
  return row.now;
}

/** Stores the row of a task, new or not. */
export async function putTaskRow(
  sql: Transaction,
  workspace: string,
  name: string,
  { id, created, changed, version, bytes, sealed }: TaskRow,
): Promise<void> {
  await sql.execute(PUT, [workspace, name, id, created, changed, version, bytes, sealed]);
}

/** Stores the questions of a new version, or the list of versions. */
export async function putVersion(
  sql: Transaction,
  task: string,
  version: number,
  sealed: Buffer,
): Promise<void> {
  await sql.execute(PUT_VERSION, [task, version, sealed]);
}

/** Stores what a fit of a task to a build has found, in place of the last one. */
export async function putFit(sql: Transaction, task: string, build: string, sealed: Buffer): Promise<void> {
  await sql.execute(PUT_FIT, [task, build, sealed]);
}

/** What the last fit of a task to a build has found, and the data key of the task, both sealed. */
export async function findFit(
  sql: Queryable,
  task: string,
  build: string,
): Promise<{ readonly sealed: Buffer; readonly key: Buffer } | undefined> {
  return (await sql.query<{ sealed: Buffer; key: Buffer }>(FIT, [task, build]))[0];
}

/** Deletes a task and everything of it. False: there was none. */
export async function deleteTask(sql: Transaction, workspace: string, name: string): Promise<boolean> {
  const [row] = await sql.query<{ id: string }>(DELETE, [workspace, name]);
  if (row === undefined) return false;
  await sql.execute(DELETE_KEY, [row.id]);
  await sql.execute(DELETE_VERSIONS, [row.id]);
  await sql.execute(DELETE_ANSWERS, [row.id]);
  await sql.execute(DELETE_LABELS, [row.id]);
  await sql.execute(DELETE_FITS, [row.id]);
  await deleteShadow(sql, row.id);
  await sql.execute(DELETE_MONITORS, [row.id]);
  return true;
}
