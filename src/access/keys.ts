import { createHash } from 'node:crypto';
import type { OperatorKey } from '../api/index.js';
import { showInstant } from '../base/index.js';
import { AccessError, type Workspace } from './workspaces.js';

/** A key. Instants are milliseconds since 1970. */
export interface Key {
  readonly id: string;
  readonly workspace: string;
  /** For people. See `checkName`. */
  readonly name: string | null;
  /** The SHA-256 of the token, in hexadecimal. */
  readonly digest: string;
  readonly created: number;
  /** The last millisecond at which it works; null: it never expires. */
  readonly expires: number | null;
  readonly revoked: number | null;
  /** The key that replaces it. */
  readonly rolledTo: string | null;
}

export const DEFAULT_LIFETIME_DAYS = 365;
const TOKEN = /^dk_[A-Za-z0-9]{40}$/;
const ID = /^key_[A-Za-z0-9]{20}$/;

/** The SHA-256 of a token, in hexadecimal; null if the string is not a token. */
export function digestOf(token: string): string | null {
  if (!TOKEN.test(token)) return null;
  return createHash('sha256').update(token).digest('hex');
}

/** Whether the workspace of a key is open. */
type Owner = Pick<Workspace, 'closed'>;

/** Whether a key works at `now`. */
export function keyWorks({ revoked, expires }: Key, { closed }: Owner, now: number): boolean {
  return revoked === null && closed === null && (expires === null || now <= expires);
}

/** The state of a key, for messages and lists. */
type KeyState = OperatorKey['state'];

export function keyState(key: Key, workspace: Owner, now: number): KeyState {
  if (key.revoked !== null) return 'revoked';
  if (key.expires !== null && now > key.expires) return 'expired';
  if (workspace.closed !== null) return 'closed';
  return key.rolledTo === null ? 'live' : 'rolled';
}

/** A key as JSON, for the operator's interface and the command line. `used`: its hour in `LastUses`. */
export const showKey = (key: Key, workspace: Owner, used: number | undefined, now: number): OperatorKey => ({
  id: key.id,
  workspace: key.workspace,
  name: key.name,
  state: keyState(key, workspace, now),
  created: showInstant(key.created),
  expires: showInstant(key.expires),
  revoked: showInstant(key.revoked),
  rolled_to: key.rolledTo,
  last_used: showInstant(used ?? null),
});

/** The key that was found under an id. Throws AccessError if there is none. */
export function foundKey(id: string, key: Key | undefined): Key {
  if (key === undefined) throw new AccessError('key', `${id} does not exist.`, 'not_found');
  return key;
}

/** Whether a key can have this id. */
export const isKeyId = (id: string): boolean => ID.test(id);

/** The order of lists: oldest first. */
export const byCreation = (one: Key, other: Key): number =>
  one.created - other.created || (one.id < other.id ? -1 : 1);
