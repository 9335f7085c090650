import type {
  Key,
  KeyPage,
  Listed,
  ListedKey,
  ListedWorkspace,
  ListPlace,
  WorkspacePage,
} from '../../../access/index.js';
import { KEY_SORT, WORKSPACE_SORT } from '../../../api/index.js';
import { endOfPrefix } from '../../../sealing/index.js';
import { lastUses } from '../directory/key-uses.js';
import type { Store } from '../lmdb/store.js';
import { endsFrom, entryOfBytes, instantRank, LISTS, partsOfPlace } from './list-entries.js';
import { findWorkspace, getKey, getWorkspace } from './rows.js';

/** What is read of a list. */
interface Scan {
  readonly list: string;
  /** Only this group. */
  readonly group?: string | undefined;
  /** Only entries that hold this text. */
  readonly search?: string | undefined;
  /** Only entries of this workspace. */
  readonly owner?: string | undefined;
  /** Only keys that end at this rank or later, and whose workspace is not among the closed ones. */
  readonly working?: { readonly from: string; readonly closed: ReadonlySet<string> } | undefined;
  /** How many entries fit, if that is known; then no more is read than the page needs. */
  readonly total?: number | undefined;
  readonly descending: boolean;
  readonly after?: ListPlace | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** What is read of a list: the ids of a page, how many entries fit, and how many of those come before the page. */
interface Scanned {
  readonly ids: readonly string[];
  readonly total: number;
  readonly offset: number;
}

/** A page of the workspaces; see `Administration.pageOfWorkspaces`. */
export function pageOfWorkspaces(store: Store, page: WorkspacePage, now: number): Listed<ListedWorkspace> {
  const { search, sort = WORKSPACE_SORT, ...part } = page;
  const closed = closedOf(store);
  const count = (id: string) => (closed.has(id) ? 0 : countWorking(store, id, now));
  const listed = (id: string, workingKeys: number) => ({ workspace: getWorkspace(store, id), workingKeys });
  if (sort !== 'working_keys') {
    const { ids, ...found } = scan(store, { ...part, list: LISTS.workspaces[sort], search });
    return { ...found, items: ids.map((id) => listed(id, count(id))) };
  }
  const whole = { descending: false, offset: 0, limit: Number.POSITIVE_INFINITY };
  const { ids, total } = scan(store, { ...whole, list: LISTS.workspaces.id, search });
  const { items, offset } = partByKeys(
    ids.map((id) => ({ id, keys: count(id) })),
    part,
  );
  return { items: items.map(({ id, keys }) => listed(id, keys)), total, offset };
}

/** The id of a workspace, and how many of its keys work. */
interface Count {
  readonly id: string;
  readonly keys: number;
}

/** The part of a page of all workspaces, in the order of the number of their keys. */
function partByKeys(
  counts: Count[],
  { descending, after, offset, limit }: Omit<WorkspacePage, 'search' | 'sort'>,
) {
  const order = (one: Count, other: Count) => {
    const ascending = one.keys - other.keys || (one.id < other.id ? -1 : Number(one.id > other.id));
    return descending ? -ascending : ascending;
  };
  counts.sort(order);
  const place = after && { id: after.id, keys: Number(after.values[0]) };
  const passed = place === undefined ? 0 : counts.filter((each) => order(each, place) <= 0).length;
  const from = Math.min(counts.length, passed + offset);
  return { items: counts.slice(from, from + limit), offset: from };
}

/** A page of the keys; see `Administration.pageOfKeys`. */
export function pageOfKeys(store: Store, page: KeyPage, now: number): Listed<ListedKey> {
  const { workspace, search, sort = KEY_SORT, descending, after, offset, limit } = page;
  if (workspace !== undefined) getWorkspace(store, workspace);
  const isGroup = workspace !== undefined && (sort === 'created' || sort === 'workspace');
  const working = page.working ? { from: instantRank(now), closed: closedOf(store) } : undefined;
  const { ids, ...found } = scan(store, {
    ...(isGroup
      ? { list: LISTS.keys.workspace, group: workspace }
      : { list: LISTS.keys[sort], owner: workspace }),
    search,
    working,
    total: working && search === undefined ? totalWorking(store, workspace, working, now) : undefined,
    descending,
    after,
    offset,
    limit,
  });
  const uses = lastUses(store, ids);
  const listed = (key: Key): ListedKey => ({
    key,
    workspace: { closed: findWorkspace(store, key.workspace)?.closed ?? null },
    used: uses.get(key.id),
  });
  return { ...found, items: ids.map((id) => listed(getKey(store, id))) };
}

/** Looks at the bytes of an entry before it reads its parts. */
function scan(store: Store, asked: Scan): Scanned {
  const { list, group, search, owner, working, descending, offset, limit } = asked;
  const table = store.table('lists');
  const prefix = group === undefined ? [list] : [list, group];
  const after = asked.after && partsOfPlace(list, asked.after, group);
  const idOf = (key: Buffer) => entryOfBytes(key)[3];
  if (search === undefined && owner === undefined && working === undefined) {
    const part = { descending, after, offset, ...(Number.isFinite(limit) && { limit }) };
    // LMDB takes a limit of 0 for none.
    const page = limit === 0 ? [] : [...table.keyBytes(prefix, part)];
    const total = table.count(prefix);
    const passed = after === undefined ? 0 : total - table.countBehind(prefix, after, descending);
    return { ids: page.map(idOf), total, offset: Math.min(total, passed + offset) };
  }
  const fits = filterOf(asked);
  const isPassed = after === undefined ? () => false : passedAt(table.key(...after), descending);
  const ids: string[] = [];
  let [found, passed] = [0, 0];
  for (const key of table.keyBytes(prefix, { descending })) {
    if (asked.total !== undefined && ids.length >= limit && !isPassed(key)) break;
    if (!fits(key)) continue;
    if (isPassed(key)) passed += 1;
    else if (found - passed >= offset && ids.length < limit) ids.push(idOf(key));
    found += 1;
  }
  const total = asked.total ?? found;
  return { ids, total, offset: Math.min(total, passed + offset) };
}

/** Whether an entry comes before those behind a place, whose key begins with these bytes. */
function passedAt(place: Buffer, descending: boolean): (key: Buffer) => boolean {
  const next = endOfPrefix(place) as Buffer;
  return descending ? (key) => key.compare(place) >= 0 : (key) => key.compare(next) < 0;
}

/** Whether an entry fits, by its bytes. */
function filterOf({ search, owner, working }: Scan): (key: Buffer) => boolean {
  const parts = [...(search === undefined ? [] : [search]), ...(owner === undefined ? [] : [`\0${owner}\0`])];
  const held = parts.map((part) => Buffer.from(part));
  const from = working && Buffer.from(working.from);
  const mustRead = held.length > 0 || (working !== undefined && working.closed.size > 0);
  return (key) => {
    if (!held.every((part) => key.includes(part))) return false;
    if (from !== undefined && !endsFrom(key, from)) return false;
    if (!mustRead) return true;
    const [, , , , entryOwner, text] = entryOfBytes(key);
    return (
      (owner === undefined || entryOwner === owner) &&
      (search === undefined || text.includes(search) || entryOwner.includes(search)) &&
      working?.closed.has(entryOwner) !== true
    );
  };
}

/** How many keys work, of a workspace or of all. */
function totalWorking(
  store: Store,
  workspace: string | undefined,
  { from, closed }: NonNullable<Scan['working']>,
  now: number,
): number {
  if (workspace !== undefined) return closed.has(workspace) ? 0 : countWorking(store, workspace, now);
  const ofClosed = [...closed].reduce((sum, id) => sum + countWorking(store, id, now), 0);
  return store.table('lists').count([LISTS.keys.end, ''], from) - ofClosed;
}

/** The keys of an open workspace that work. */
const countWorking = (store: Store, workspace: string, now: number): number =>
  store.table('lists').count([LISTS.keys.ends, workspace], instantRank(now));

const closedOf = (store: Store): ReadonlySet<string> => {
  const keys = store.table('lists').keyBytes([LISTS.workspaces.closed]);
  return new Set([...keys].map((key) => entryOfBytes(key)[3]));
};
