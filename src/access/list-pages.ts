import type { KEY_SORTS, WORKSPACE_SORTS } from '../api/index.js';
import type { Key } from './keys.js';
import type { Workspace } from './workspaces.js';

/** The part of a list that is asked for. */
interface ListPage<Sort> {
  /** A text in lower case that the id or the name of an item holds, of a key also that of its workspace; absent: any. */
  readonly search?: string;
  /** The field by which items are sorted, and those with equal values by their ids. */
  readonly sort?: Sort;
  /** Whether the largest comes first. What has no value counts as larger than any. */
  readonly descending: boolean;
  /** Items that are left out at the beginning. */
  readonly offset: number;
  /** Infinity: all. */
  readonly limit: number;
}

/** Workspaces, by their ids unless another field is named. */
export type WorkspacePage = ListPage<(typeof WORKSPACE_SORTS)[number]>;

/** Keys, by their creation unless another field is named. */
export interface KeyPage extends ListPage<(typeof KEY_SORTS)[number]> {
  /** The id of the workspace; absent: of all. */
  readonly workspace?: string;
  /** Only those that work. */
  readonly working: boolean;
}

/** The items of a page, and how many there are on all pages. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** A workspace, with the number of its keys that work. */
export interface ListedWorkspace {
  readonly workspace: Workspace;
  readonly workingKeys: number;
}

/** A key, with what is shown of it besides. */
export interface ListedKey {
  readonly key: Key;
  readonly workspace: Pick<Workspace, 'closed'>;
  /** Its hour in `LastUses`. */
  readonly used: number | undefined;
}
