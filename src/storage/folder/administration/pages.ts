import type {
  Key,
  KeyPage,
  Listed,
  ListedKey,
  ListedWorkspace,
  WorkspacePage,
} from '../../../access/index.js';
import { lastUses } from '../directory/key-uses.js';
import type { Store } from '../lmdb/store.js';
import { endsFrom, entryOfBytes, instantRank, LISTS } from './list-entries.js';
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
  readonly offset: number;
  readonly limit: number;
}

/** A page of the workspaces; see `Administration.pageOfWorkspaces`. */
export function pageOfWorkspaces(store: Store, page: WorkspacePage, now: number): Listed<ListedWorkspace> {
  const { search, sort = 'id', descending, offset, limit } = page;
  const closed = closedOf(store);
  const count = (id: string) => (closed.has(id) ? 0 : countWorking(store, id, now));
  const listed = (id: string, workingKeys: number) => ({ workspace: getWorkspace(store, id), workingKeys });
  if (sort !== 'working_keys') {
    const { ids, total } = scan(store, {
      list: LISTS.workspaces[sort],
      search,
      descending,
      offset,
      limit,
    });
    return { items: ids.map((id) => listed(id, count(id))), total };
  }
  const whole = { descending, offset: 0, limit: Number.POSITIVE_INFINITY };
  const { ids, total } = scan(store, { ...whole, list: LISTS.workspaces.id, search });
  const counts = ids.map((id) => ({ id, keys: count(id) }));
  // The sort keeps the order of equal ones.
  counts.sort((one, other) => (descending ? other.keys - one.keys : one.keys - other.keys));
  return { items: counts.slice(offset, offset + limit).map(({ id, keys }) => listed(id, keys)), total };
}

/** A page of the keys; see `Administration.pageOfKeys`. */
export function pageOfKeys(store: Store, page: KeyPage, now: number): Listed<ListedKey> {
  const { workspace, search, sort = 'created', descending, offset, limit } = page;
  if (workspace !== undefined) getWorkspace(store, workspace);
  const isGroup = workspace !== undefined && (sort === 'created' || sort === 'workspace');
  const working = page.working ? { from: instantRank(now), closed: closedOf(store) } : undefined;
  const { ids, total } = scan(store, {
    ...(isGroup
      ? { list: LISTS.keys.workspace, group: workspace }
      : { list: LISTS.keys[sort], owner: workspace }),
    search,
    working,
    total: working && search === undefined ? totalWorking(store, workspace, working, now) : undefined,
    descending,
    offset,
    limit,
  });
  const uses = lastUses(store, ids);
  const listed = (key: Key): ListedKey => ({
    key,
    workspace: { closed: findWorkspace(store, key.workspace)?.closed ?? null },
    used: uses.get(key.id),
  });
  return { items: ids.map((id) => listed(getKey(store, id))), total };
}

/** The ids of a page of a list, and how many entries fit. Looks at the bytes of an entry before it reads its parts. */
function scan(store: Store, asked: Scan): { readonly ids: readonly string[]; readonly total: number } {
  const { list, group, search, owner, working, descending, offset, limit } = asked;
  const table = store.table('lists');
  const prefix = group === undefined ? [list] : [list, group];
  const idOf = (key: Buffer) => entryOfBytes(key)[3];
  if (search === undefined && owner === undefined && working === undefined) {
    const part = { descending, offset, ...(Number.isFinite(limit) && { limit }) };
    // LMDB takes a limit of 0 for none.
    const page = limit === 0 ? [] : [...table.keyBytes(prefix, part)];
    return { ids: page.map(idOf), total: table.count(prefix) };
  }
  const fits = filterOf(asked);
  const ids: string[] = [];
  let total = 0;
  for (const key of table.keyBytes(prefix, { descending })) {
    if (asked.total !== undefined && ids.length >= limit) break;
    if (!fits(key)) continue;
    if (total >= offset && ids.length < limit) ids.push(idOf(key));
    total += 1;
  }
  return { ids, total: asked.total ?? total };
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
