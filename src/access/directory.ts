import type { Key } from './keys.js';
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
