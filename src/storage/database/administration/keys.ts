import {
  byCreation,
  foundKey,
  isKeyId,
  type Key,
  keyCreation,
  keyRevocation,
  keyRoll,
  type NewKey,
  type RolledKey,
  readExpiry,
} from '../../../access/index.js';
import { KEY_COLUMNS, type KeyRow, keyOf } from '../directory/rows.js';
import { type Queryable, statement } from '../postgres/statement.js';
import type { Change } from './change.js';
import { getWorkspace } from './workspaces.js';

const FIND = statement('key-find', `SELECT ${KEY_COLUMNS} FROM keys WHERE id = $1`);
const LIST = statement('key-list', `SELECT ${KEY_COLUMNS} FROM keys`);
const LIST_OF = statement('key-list-of', `SELECT ${KEY_COLUMNS} FROM keys WHERE workspace = $1`);
const INSERT = statement(
  'key-insert',
  `INSERT INTO keys (id, workspace, digest, created, expires, revoked, rolled_to, changed)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const UPDATE = statement(
  'key-update',
  'UPDATE keys SET expires = $2, revoked = $3, rolled_to = $4, changed = $5 WHERE id = $1',
);

/** Throws AccessError if the key does not exist. */
export async function getKey(database: Queryable, id: string): Promise<Key> {
  const [row] = isKeyId(id) ? await database.query<KeyRow>(FIND, [id]) : [];
  return foundKey(id, row && keyOf(row));
}

/** The keys of a workspace, or of all, oldest first. Throws AccessError if the workspace does not exist. */
export async function listKeys(database: Queryable, workspace?: string): Promise<Key[]> {
  if (workspace !== undefined) await getWorkspace(database, workspace);
  const rows =
    workspace === undefined
      ? await database.query<KeyRow>(LIST)
      : await database.query<KeyRow>(LIST_OF, [workspace]);
  return rows.map(keyOf).sort(byCreation);
}

/** Creates a key. `expires`: see `readExpiry`; absent: DEFAULT_LIFETIME_DAYS. Throws AccessError. */
export async function createKey(change: Change, workspace: string, expires?: string): Promise<NewKey> {
  const { transaction, now } = change;
  const until = expires === undefined ? undefined : readExpiry(expires, now);
  const { result, record } = keyCreation(workspace, until, now);
  await getWorkspace(transaction, workspace);
  await insert(change, result.key);
  await change.audit(record);
  return result;
}

/** Creates a successor of a key; see `keyRoll`. Throws AccessError. */
export async function rollKey(change: Change, id: string): Promise<RolledKey> {
  const { result, record } = keyRoll(await getKey(change.transaction, id), change.now);
  await insert(change, result.key);
  await update(change, result.rolled);
  await change.audit(record);
  return result;
}

/** Revokes a key, at once and permanently. Revoking it again changes nothing. Throws AccessError. */
export async function revokeKey(change: Change, id: string): Promise<Key> {
  const key = await getKey(change.transaction, id);
  const revocation = keyRevocation(key, change.now);
  if (revocation === null) return key;
  await update(change, revocation.result);
  await change.audit(revocation.record);
  return revocation.result;
}

function insert({ transaction, number }: Change, key: Key): Promise<number> {
  const { id, workspace, digest, created, expires, revoked, rolledTo } = key;
  const values = [id, workspace, digest, created, expires, revoked, rolledTo, number];
  return transaction.execute(INSERT, values);
}

function update({ transaction, number }: Change, key: Key): Promise<number> {
  const { id, expires, revoked, rolledTo } = key;
  return transaction.execute(UPDATE, [id, expires, revoked, rolledTo, number]);
}
