import { createHash } from 'node:crypto';
import type { OperatorKey } from '../api/index.js';
import { randomLetters, showInstant } from '../base/index.js';
import type { Audited, AuditFields, AuditRecord } from './audit.js';
import { afterDays, endOfDay, endOfNextDay, parseDay } from './calendar.js';
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

/** A new key with its token, which is not stored: only its SHA-256 is. */
export interface NewKey {
  readonly key: Key;
  readonly token: string;
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

/** The last instant with a year of four digits, as in `Service-Key-Expires`. */
const INSTANT_MAX = Date.parse('9999-12-31T23:59:59.999Z');

/** The rules of a new key. `expires` null: never; absent: after DEFAULT_LIFETIME_DAYS. Throws AccessError. */
export function keyCreation(
  workspace: string,
  expires: number | null | undefined,
  now: number,
): Audited<NewKey> {
  const end = expires === undefined ? afterDays(now, DEFAULT_LIFETIME_DAYS) : expires;
  if (end !== null && !(Number.isInteger(end) && end >= now && end <= INSTANT_MAX)) {
    throw new AccessError('expires', 'it must be an instant in the future.');
  }
  const result = newKey(workspace, end, now);
  const { key } = result;
  return { result, record: { action: 'key.create', workspace, key: key.id, after: fieldsOf(key) } };
}

/** A new key, and the key that it replaces as it is now. */
export interface RolledKey extends NewKey {
  readonly rolled: Key;
}

/**
 * The rules of a key's successor. The old key keeps working until the end of the next day (contract 5 rule 8), or until it
 * expires if that is sooner. Throws AccessError if the key does not work, or was already rolled.
 */
export function keyRoll(old: Key, now: number): Audited<RolledKey> {
  const { id } = old;
  const state = keyState(old, now);
  if (state === 'rolled') {
    throw new AccessError('key', `${id} was already rolled to ${old.rolledTo}.`, 'conflict');
  }
  if (state !== 'live') {
    throw new AccessError('key', `${id} is ${state}; create a new one instead.`, 'conflict');
  }
  const newExpires = old.expires === null ? null : Math.min(now + (old.expires - old.created), INSTANT_MAX);
  const created = newKey(old.workspace, newExpires, now);
  const expires = Math.min(old.expires ?? Number.POSITIVE_INFINITY, endOfNextDay(now));
  const rolled = { ...old, expires, rolledTo: created.key.id };
  return { result: { ...created, rolled }, record: changeOf('key.roll', old, rolled) };
}

/** The rules of a revocation, which is permanent. Null: the key is revoked already, and nothing changes. */
export function keyRevocation(key: Key, now: number): Audited<Key> | null {
  if (key.revoked !== null) return null;
  const result = { ...key, revoked: now };
  return { result, record: changeOf('key.revoke', key, result) };
}

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

function changeOf(action: 'key.roll' | 'key.revoke', before: Key, after: Key): AuditRecord {
  const { id, workspace } = after;
  return { action, workspace, key: id, before: fieldsOf(before), after: fieldsOf(after) };
}

/** What the audit log has of a key. */
const fieldsOf = ({ expires, revoked, rolledTo }: Key): AuditFields => ({
  expires: expires === null ? 'never' : new Date(expires).toISOString(),
  revoked: revoked === null ? null : new Date(revoked).toISOString(),
  rolled_to: rolledTo,
});

function newKey(workspace: string, expires: number | null, now: number): NewKey {
  const token = `dk_${randomLetters(40)}`;
  const digest = digestOf(token) as string;
  const id = `key_${randomLetters(20)}`;
  return { key: { id, workspace, digest, created: now, expires, revoked: null, rolledTo: null }, token };
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
