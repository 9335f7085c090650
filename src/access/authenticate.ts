import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../api/index.js';
import { digestOf, type Key, keyState, keyWorks } from './keys.js';
import type { Workspace } from './workspaces.js';

/** Keys and workspaces, for look-ups without waiting. */
export interface Directory {
  /** Makes later look-ups see changes made elsewhere. Throws ApiError `overloaded` if the copy may be stale. */
  refresh(): void;
  /** The key with a token of this digest; see `digestOf`. */
  keyOfDigest(digest: string): Key | undefined;
  key(id: string): Key | undefined;
  workspace(id: string): Workspace | undefined;
}

/** An authenticated caller. */
export interface Caller {
  readonly key: Key;
  readonly workspace: Workspace;
}

/**
 * The caller who sent these `Authorization` headers (contract 5 rules 1 and 3). Throws ApiError `unauthorized` unless there
 * is exactly one header, with a known token whose key works.
 */
export function authenticate(headers: readonly string[], directory: Directory, now: number): Caller {
  const token = /^bearer +(\S+)$/i.exec(headers.length === 1 ? (headers[0] as string) : '')?.[1];
  if (token === undefined)
    throw refused('The request needs exactly one header Authorization: Bearer <token>.');
  const digest = digestOf(token);
  directory.refresh();
  const key = digest === null ? undefined : directory.keyOfDigest(digest);
  const workspace = key && directory.workspace(key.workspace);
  if (digest === null || key === undefined || workspace === undefined || !equal(digest, key.digest)) {
    throw refused('The token is unknown.');
  }
  if (!keyWorks(key, workspace, now)) {
    const state = keyState(key, workspace, now);
    throw refused(state === 'closed' ? 'The workspace of the key is closed.' : `The key is ${state}.`);
  }
  return { key, workspace };
}

const refused = (message: string) => new ApiError('unauthorized', message);

const equal = (one: string, other: string) => timingSafeEqual(Buffer.from(one), Buffer.from(other));
