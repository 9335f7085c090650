import { createHash } from 'node:crypto';
import type { OperatorKey } from '../api/index.js';
import { showInstant } from '../base/index.js';
import { AccessError } from './workspaces.js';

/** A key. Instants are milliseconds since 1970. */
export interface Key {
  readonly id: string;
  readonly workspace: string;
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

/** Whether a key works at `now`. */
export function keyWorks({ revoked, expires }: Key, now: number): boolean {
  return revoked === null && (expires === null || now <= expires);
}

/** The state of a key, for messages and lists. */
type KeyState = 'live' | 'rolled' | 'expired' | 'revoked';

export function keyState(key: Key, now: number): KeyState {
  if (key.revoked !== null) return 'revoked';
  if (!keyWorks(key, now)) return 'expired';
  return key.rolledTo === null ? 'live' : 'rolled';
}

/** A key as JSON, for the operator's interface and the command line. */
export const showKey = (key: Key, now: number): OperatorKey => ({
  id: key.id,
  workspace: key.workspace,
  state: keyState(key, now),
  created: showInstant(key.created),
  expires: showInstant(key.expires),
  revoked: showInstant(key.revoked),
  rolled_to: key.rolledTo,
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
