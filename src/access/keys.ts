import { createHash } from 'node:crypto';
import { type Clock, randomLetters } from '../base/index.js';
import type { Store, Value } from '../store/index.js';
import { afterDays, endOfDay, endOfNextDay, parseDay } from './calendar.js';
import { AccessError, getWorkspace } from './workspaces.js';

/** A key. Instants in milliseconds; `expires` null: never, and it is the last millisecond at which it works. */
export type Key = Readonly<Value<'keys'>>;

/** The token is told once, here: only its SHA-256 is kept. */
export interface NewKey {
  readonly key: Key;
  readonly token: string;
}

export const DEFAULT_LIFETIME_DAYS = 365;
const TOKEN = /^dk_[A-Za-z0-9]{40}$/;
const ID = /^key_[A-Za-z0-9]{20}$/;

/** The SHA-256 of a token, in hexadecimal; null where it cannot be a token. */
export function digestOf(token: string): string | null {
  if (!TOKEN.test(token)) return null;
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a key opens anything at an instant. */
export function keyWorks({ revoked, expires }: Key, now: number): boolean {
  return revoked === null && (expires === null || now <= expires);
}

/** What a person is told of a key. */
export type KeyState = 'live' | 'rolled' | 'expired' | 'revoked';

export function keyState(key: Key, now: number): KeyState {
  if (key.revoked !== null) return 'revoked';
  if (!keyWorks(key, now)) return 'expired';
  return key.rolledTo === null ? 'live' : 'rolled';
}

/** The last instant whose day is shown with four digits of a year, as `Service-Key-Expires` has it. */
const INSTANT_MAX = Date.parse('9999-12-31T23:59:59.999Z');

/** Makes a key of a workspace; `expires` null: never; absent: DEFAULT_LIFETIME_DAYS. Throws AccessError. */
export function createKey(store: Store, clock: Clock, workspace: string, expires?: number | null): NewKey {
  const now = clock.now();
  const end = expires === undefined ? afterDays(now, DEFAULT_LIFETIME_DAYS) : expires;
  if (end !== null && !(Number.isInteger(end) && end >= now && end <= INSTANT_MAX)) {
    throw new AccessError('expires: it must be an instant that is still to come.');
  }
  return store.change(() => {
    getWorkspace(store, workspace);
    return addKey(store, now, workspace, end);
  });
}

export function listKeys(store: Store, workspace?: string): Key[] {
  const keys = [...store.table('keys').entries()].map(({ value }) => value);
  return keys
    .filter((key) => workspace === undefined || key.workspace === workspace)
    .sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

/**
 * Makes a new key in place of one, which works on until the end of the next day (contract 5 rule 8), or its own
 * end where that is sooner. Throws AccessError where the key does not work, or was rolled already.
 */
export function rollKey(store: Store, clock: Clock, id: string): NewKey {
  return store.change(() => {
    const now = clock.now();
    const old = getKey(store, id);
    const state = keyState(old, now);
    if (state === 'rolled') throw new AccessError(`key: ${id} was rolled already, to ${old.rolledTo}.`);
    if (state !== 'live') throw new AccessError(`key: ${id} is ${state}; make a new one instead.`);
    const newExpires = old.expires === null ? null : Math.min(now + (old.expires - old.created), INSTANT_MAX);
    const created = addKey(store, now, old.workspace, newExpires);
    const expires = Math.min(old.expires ?? Number.POSITIVE_INFINITY, endOfNextDay(now));
    store.table('keys').put([id], { ...old, expires, rolledTo: created.key.id });
    return created;
  });
}

/** A revoked key stops at once, and for ever; doing it again changes nothing. Throws AccessError. */
export function revokeKey(store: Store, clock: Clock, id: string): Key {
  return store.change(() => {
    const key = getKey(store, id);
    const revoked = { ...key, revoked: key.revoked ?? clock.now() };
    store.table('keys').put([id], revoked);
    return revoked;
  });
}

/** Throws AccessError where there is none. */
export function getKey(store: Store, id: string): Key {
  const key = ID.test(id) ? store.table('keys').get(id) : undefined;
  if (key === undefined) throw new AccessError(`key: there is no ${id}.`);
  return key;
}

function addKey(store: Store, now: number, workspace: string, expires: number | null): NewKey {
  const token = `dk_${randomLetters(40)}`;
  const digest = digestOf(token) as string;
  const id = `key_${randomLetters(20)}`;
  const key = { id, workspace, digest, created: now, expires, revoked: null, rolledTo: null };
  store.table('keys').put([id], key);
  store.table('digests').put([digest], id);
  return { key, token };
}

/** A hundred years: more is a slip of the keyboard. */
const DAYS_MAX = 36_500;

/**
 * The instant until which a key is to work: `never` (null), a number of days from `now`, or the end of a UTC day
 * such as `2027-01-31`. Throws AccessError where it is none of these, or is over.
 */
export function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= DAYS_MAX) {
    return afterDays(now, Number(text));
  }
  const day = parseDay(text);
  if (day === null) {
    throw new AccessError(
      `expires: "${text}" is not never, a number of days from 1 to ${DAYS_MAX}, or a day such as 2027-01-31.`,
    );
  }
  if (endOfDay(day) <= now) throw new AccessError(`expires: ${text} is over.`);
  return endOfDay(day);
}
