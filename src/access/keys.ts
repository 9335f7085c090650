import { createHash } from 'node:crypto';
import type { OperatorKey } from '../api/index.js';
import { type Clock, randomLetters, showInstant } from '../base/index.js';
import type { AuditFields, Store, Value } from '../store/index.js';
import { afterDays, endOfDay, endOfNextDay, parseDay } from './calendar.js';
import { AccessError, getWorkspace } from './workspaces.js';

/** A key. Instants in milliseconds. `expires` is the last millisecond at which it works; null: it never expires. */
export type Key = Readonly<Value<'keys'>>;

/** A new key with its token, which is not stored: only its SHA-256 is. */
export interface NewKey {
  readonly key: Key;
  readonly token: string;
}

export const DEFAULT_LIFETIME_DAYS = 365;
const TOKEN = /^dk_[A-Za-z0-9]{40}$/;
const ID = /^key_[A-Za-z0-9]{20}$/;

/** The SHA-256 of a token, in hexadecimal; null if the string is no token. */
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

/** The last instant with a year of four digits, as in `Service-Key-Expires`. */
const INSTANT_MAX = Date.parse('9999-12-31T23:59:59.999Z');

/** Creates a key. `expires` null: never; absent: after DEFAULT_LIFETIME_DAYS. Throws AccessError. */
export function createKey(store: Store, clock: Clock, workspace: string, expires?: number | null): NewKey {
  const now = clock.now();
  const end = expires === undefined ? afterDays(now, DEFAULT_LIFETIME_DAYS) : expires;
  if (end !== null && !(Number.isInteger(end) && end >= now && end <= INSTANT_MAX)) {
    throw new AccessError('expires', 'it must be an instant in the future.');
  }
  return store.change(() => {
    getWorkspace(store, workspace);
    const created = addKey(store, now, workspace, end);
    store.audit(now, { action: 'key.create', workspace, key: created.key.id, after: fieldsOf(created.key) });
    return created;
  });
}

export function listKeys(store: Store, workspace?: string): Key[] {
  const keys = [...store.table('keys').entries()].map(({ value }) => value);
  return keys
    .filter((key) => workspace === undefined || key.workspace === workspace)
    .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

/** A new key, and the key that it replaces as it is now. */
interface RolledKey extends NewKey {
  readonly rolled: Key;
}

/**
 * Creates a successor of a key. The old key keeps working until the end of the next day (contract 5 rule 8), or until it
 * expires if that is sooner. Throws AccessError if the key does not work, or was already rolled.
 */
export function rollKey(store: Store, clock: Clock, id: string): RolledKey {
  return store.change(() => {
    const now = clock.now();
    const old = getKey(store, id);
    const state = keyState(old, now);
    if (state === 'rolled') {
      throw new AccessError('key', `${id} was already rolled to ${old.rolledTo}.`, 'conflict');
    }
    if (state !== 'live') {
      throw new AccessError('key', `${id} is ${state}; create a new one instead.`, 'conflict');
    }
    const newExpires = old.expires === null ? null : Math.min(now + (old.expires - old.created), INSTANT_MAX);
    const created = addKey(store, now, old.workspace, newExpires);
    const expires = Math.min(old.expires ?? Number.POSITIVE_INFINITY, endOfNextDay(now));
    const rolled = putChanged(store, now, 'key.roll', old, { ...old, expires, rolledTo: created.key.id });
    return { ...created, rolled };
  });
}

/** Revokes a key, at once and permanently. Revoking it again changes nothing. Throws AccessError. */
export function revokeKey(store: Store, clock: Clock, id: string): Key {
  return store.change(() => {
    const key = getKey(store, id);
    if (key.revoked !== null) return key;
    const now = clock.now();
    return putChanged(store, now, 'key.revoke', key, { ...key, revoked: now });
  });
}

/** Throws AccessError if the key does not exist. */
export function getKey(store: Store, id: string): Key {
  const key = ID.test(id) ? store.table('keys').get(id) : undefined;
  if (key === undefined) throw new AccessError('key', `${id} does not exist.`, 'not_found');
  return key;
}

function putChanged(
  store: Store,
  now: number,
  action: 'key.roll' | 'key.revoke',
  before: Key,
  after: Key,
): Key {
  const { id, workspace } = after;
  store.audit(now, { action, workspace, key: id, before: fieldsOf(before), after: fieldsOf(after) });
  store.table('keys').put([id], after);
  return after;
}

/** What the audit log has of a key. */
const fieldsOf = ({ expires, revoked, rolledTo }: Key): AuditFields => ({
  expires: expires === null ? 'never' : new Date(expires).toISOString(),
  revoked: revoked === null ? null : new Date(revoked).toISOString(),
  rolled_to: rolledTo,
});

function addKey(store: Store, now: number, workspace: string, expires: number | null): NewKey {
  const token = `dk_${randomLetters(40)}`;
  const digest = digestOf(token) as string;
  const id = `key_${randomLetters(20)}`;
  const key = { id, workspace, digest, created: now, expires, revoked: null, rolledTo: null };
  store.table('keys').put([id], key);
  store.table('digests').put([digest], id);
  return { key, token };
}

/** A hundred years: more is a typing error. */
const DAYS_MAX = 36_500;

/**
 * Reads the expiry of a key: `never` (null), a number of days from `now`, or a UTC day such as `2027-01-31`, whose end is
 * meant. Throws AccessError if it is none of these, or in the past.
 */
export function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= DAYS_MAX) {
    return afterDays(now, Number(text));
  }
  const day = parseDay(text);
  if (day === null) {
    throw new AccessError(
      'expires',
      `"${text}" is not never, a number of days from 1 to ${DAYS_MAX}, or a day such as 2027-01-31.`,
    );
  }
  if (endOfDay(day) <= now) throw new AccessError('expires', `${text} is in the past.`);
  return endOfDay(day);
}
