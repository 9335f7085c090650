import { randomLetters } from '../base/index.js';
import type { AuditFields, AuditRecord } from './audit.js';
import type { Change, Decision } from './change.js';
import { afterDays, endOfDay, endOfNextDay, parseDay } from './dates.js';
import { DEFAULT_LIFETIME_DAYS, digestOf, foundKey, type Key, keyState } from './keys.js';
import { checkName } from './names.js';
import { AccessError, foundWorkspace, requireOpen, type Workspace } from './workspaces.js';

/** A new key with its token, which is not stored: only its SHA-256 is. */
export interface NewKey {
  readonly key: Key;
  readonly token: string;
}

/** A new key, and the key that it replaces as it is now. */
export interface RolledKey extends NewKey {
  readonly rolled: Key;
}

/** The changes of keys. */
export const KEY_CHANGES = {
  /** Creates a key. `expires`: see `readExpiry`; absent: DEFAULT_LIFETIME_DAYS. `name`: see `checkName`. */
  createKey: (workspace: string, expires?: string, name: string | null = null): Change<NewKey> => ({
    workspace,
    decide(stored, now) {
      const end = expires === undefined ? undefined : readExpiry(expires, now);
      const decision = keyCreation(workspace, end, now, name);
      requireOpen(foundWorkspace(workspace, stored.workspace));
      return decision;
    },
  }),

  /** Sets the name of a key; null: it has none. */
  renameKey: (id: string, name: string | null): Change<Key> => ({
    key: id,
    decide({ key }) {
      const before = foundKey(id, key);
      checkName(name);
      const result = { ...before, name };
      return { result, keys: [result], record: recordOf('key.change', before, result) };
    },
  }),

  /** Creates a successor of a key; see `keyRoll`. */
  rollKey: (id: string): Change<RolledKey> => ({
    key: id,
    decide: ({ key, workspace }, now) => {
      const old = foundKey(id, key);
      return keyRoll(old, foundWorkspace(old.workspace, workspace), now);
    },
  }),

  /** Revokes a key, at once and permanently. Revoking it again changes nothing. */
  revokeKey: (id: string): Change<Key> => ({
    key: id,
    decide({ key }, now) {
      const before = foundKey(id, key);
      if (before.revoked !== null) return { result: before };
      const result = { ...before, revoked: now };
      return { result, keys: [result], record: recordOf('key.revoke', before, result) };
    },
  }),
};

/** The last instant with a year of four digits, as in `Service-Key-Expires`. */
const INSTANT_MAX = Date.parse('9999-12-31T23:59:59.999Z');

/** The rules of a new key. `expires` null: never; absent: after DEFAULT_LIFETIME_DAYS. Throws AccessError. */
export function keyCreation(
  workspace: string,
  expires: number | null | undefined,
  now: number,
  name: string | null = null,
): Decision<NewKey> {
  checkName(name);
  const end = expires === undefined ? afterDays(now, DEFAULT_LIFETIME_DAYS) : expires;
  if (end !== null && !(Number.isInteger(end) && end >= now && end <= INSTANT_MAX)) {
    throw new AccessError('expires', 'it must be an instant in the future.');
  }
  const result = newKey({ workspace, name }, end, now);
  const { key } = result;
  const record: AuditRecord = { action: 'key.create', workspace, key: key.id, after: fieldsOf(key) };
  return { result, keys: [key], record };
}

/**
 * The rules of a key's successor. The old key keeps working until the end of the next day (contract 5 rule 8), or until it
 * expires if that is sooner. Throws AccessError if the key does not work, or was already rolled.
 */
function keyRoll(old: Key, workspace: Workspace, now: number): Decision<RolledKey> {
  const { id } = old;
  const state = keyState(old, workspace, now);
  if (state === 'closed') requireOpen(workspace);
  if (state === 'rolled') {
    throw new AccessError('key', `${id} was already rolled to ${old.rolledTo}.`, 'conflict');
  }
  if (state !== 'live') {
    throw new AccessError('key', `${id} is ${state}; create a new one instead.`, 'conflict');
  }
  const newExpires = old.expires === null ? null : Math.min(now + (old.expires - old.created), INSTANT_MAX);
  const created = newKey(old, newExpires, now);
  const expires = Math.min(old.expires ?? Number.POSITIVE_INFINITY, endOfNextDay(now));
  const rolled = { ...old, expires, rolledTo: created.key.id };
  return {
    result: { ...created, rolled },
    keys: [created.key, rolled],
    record: recordOf('key.roll', old, rolled),
  };
}

function recordOf(action: AuditRecord['action'], before: Key, after: Key): AuditRecord {
  const { id, workspace } = after;
  return { action, workspace, key: id, before: fieldsOf(before), after: fieldsOf(after) };
}

/** What the audit log has of a key. */
const fieldsOf = ({ name, expires, revoked, rolledTo }: Key): AuditFields => ({
  name,
  expires: expires === null ? 'never' : new Date(expires).toISOString(),
  revoked: revoked === null ? null : new Date(revoked).toISOString(),
  rolled_to: rolledTo,
});

function newKey(
  { workspace, name }: Pick<Key, 'workspace' | 'name'>,
  expires: number | null,
  now: number,
): NewKey {
  const token = `dk_${randomLetters(40)}`;
  const digest = digestOf(token) as string;
  const id = `key_${randomLetters(20)}`;
  const key = { id, workspace, name, digest, created: now, expires, revoked: null, rolledTo: null };
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
