import type { KEY_SORTS, WORKSPACE_SORTS } from '../api/index.js';
import type { Key } from './keys.js';
import { sortedName } from './names.js';
import type { Workspace } from './workspaces.js';

/** A place in the order of a list: that of an entry, which may have changed or gone since. */
export interface ListPlace {
  /** By what entries are compared before their ids: texts by their bytes, amounts as digits; null is the largest. */
  readonly values: ReadonlyArray<string | number | null>;
  readonly id: string;
}

type WorkspaceSort = (typeof WORKSPACE_SORTS)[number];
type KeySort = (typeof KEY_SORTS)[number];

/** The part of a list that is asked for. */
export interface ListPage<Sort extends string = string> {
  /** A text in lower case that the id or the name of an item holds, of a key also that of its workspace; absent: any. */
  readonly search?: string;
  /** The field by which items are sorted, and those with equal values by their ids. */
  readonly sort?: Sort;
  /** Whether the largest comes first. What has no value counts as larger than any. */
  readonly descending: boolean;
  /** Only items behind this place; absent: from the first. */
  readonly after?: ListPlace;
  /** Items that are left out at the beginning, or after the place. */
  readonly offset: number;
  /** Infinity: all. */
  readonly limit: number;
}

/** Workspaces, by their ids unless another field is named. */
export type WorkspacePage = ListPage<WorkspaceSort>;

/** Keys, by their creation unless another field is named. */
export interface KeyPage extends ListPage<KeySort> {
  /** The id of the workspace; absent: of all. */
  readonly workspace?: string;
  /** Only those that work. */
  readonly working: boolean;
}

/** The items of a page, how many there are on all pages, and how many of them come before the page. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly offset: number;
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

type ValuesOf<Item> = (item: Item) => ListPlace['values'];

const WORKSPACE_VALUES: Readonly<Record<WorkspaceSort, ValuesOf<ListedWorkspace>>> = {
  id: () => [],
  name: ({ workspace }) => [sortedName(workspace.name)],
  created: ({ workspace }) => [workspace.created],
  granted: ({ workspace }) => [String(workspace.granted)],
  working_keys: ({ workingKeys }) => [workingKeys],
};
const KEY_VALUES: Readonly<Record<KeySort, ValuesOf<ListedKey>>> = {
  workspace: ({ key }) => [key.workspace, key.created],
  name: ({ key }) => [sortedName(key.name)],
  created: ({ key }) => [key.created],
  expires: ({ key }) => [key.expires],
};

/** Where a workspace is in an order. */
export const placeOfWorkspace = (item: ListedWorkspace, sort: WorkspaceSort): ListPlace => ({
  values: WORKSPACE_VALUES[sort](item),
  id: item.workspace.id,
});

/** Where a key is in an order. */
export const placeOfKey = (item: ListedKey, sort: KeySort): ListPlace => ({
  values: KEY_VALUES[sort](item),
  id: item.key.id,
});
