import {
  AccessError,
  type Administration,
  type AuditFilter,
  type AuditPage,
  type KeyPage,
  type ListedKey,
  type ListedWorkspace,
  placeOfKey,
  placeOfWorkspace,
  showCursor,
  showKey,
  sumPrices,
  type Workspace,
  type WorkspacePage,
} from '../../access/index.js';
import { KEY_SORT, WORKSPACE_SORT } from '../../api/index.js';
import type { BatchFilter, NewestBatches } from '../../batch/index.js';
import { type AskedPage, type Cursors, cursorsOf, readAsked } from './asked-page.js';
import { inParts, jsonBytes, showUsageRow } from './lists.js';

/** The workspaces of a page. */
interface ListedWorkspaces extends Cursors {
  readonly parts: Uint8Array[];
  /** On all pages. */
  readonly total: number;
  /** Of them, those before the page. */
  readonly offset: number;
}

/** What is shown of a key besides its own fields. */
export type KeyContext = Omit<ListedKey, 'key'>;

/** The charges of a workspace from the first to the last day. */
interface UsageReport {
  readonly workspace: string;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
}

/** What the data is read with. */
export interface ReadParts {
  readonly administration: Administration;
  /** Milliseconds since 1970, by the server's calendar. */
  readonly now: number;
  newestBatches(filter: BatchFilter): Promise<NewestBatches>;
}

export type Read<Result> = (parts: ReadParts) => Promise<Result>;

/** What the operator's interface reads, by its name. Rejects with AccessError, or with StoreError or DatabaseUnavailable. */
export const READS = {
  /** The workspaces of a page in parts (see `inParts`). */
  listWorkspaces:
    (page: AskedPage<WorkspacePage>): Read<ListedWorkspaces> =>
    async ({ administration, now }) => {
      const listed = await readAsked(page, (each) => administration.pageOfWorkspaces(each, now));
      const { items, total, offset } = listed;
      const { sort = WORKSPACE_SORT } = page;
      const cursors = cursorsOf(listed, (item) => showCursor(sort, placeOfWorkspace(item, sort)));
      return { parts: inParts(items), total, offset, ...cursors };
    },
  keyContext:
    (id: string): Read<KeyContext> =>
    async ({ administration }) => {
      const key = await administration.getKey(id);
      const [workspace, uses] = await Promise.all([
        administration.getWorkspace(key.workspace),
        administration.lastUses([id]),
      ]);
      return { workspace, used: uses.get(id) };
    },
  showWorkspace:
    (id: string): Read<ListedWorkspace> =>
    async ({ administration, now }) => {
      const workspace = await administration.getWorkspace(id);
      const keys = { workspace: id, working: true, descending: false, offset: 0, limit: 0 };
      return { workspace, workingKeys: (await administration.pageOfKeys(keys, now)).total };
    },
  getWorkspace:
    (id: string): Read<Workspace> =>
    ({ administration }) =>
      administration.getWorkspace(id),
  /** The JSON of the response. */
  showUsage:
    ({ workspace, from, to, currency }: UsageReport): Read<Uint8Array> =>
    async ({ administration }) => {
      const rows = sumPrices(await administration.usage({ workspace, from, to }));
      const names = new Map<string, string | null>();
      for (const id of new Set(rows.map(({ key }) => key)))
        names.set(id, await nameOfKey(administration, id));
      return jsonBytes({ currency, from, to, usage: rows.map((row) => showUsageRow(row, names)) });
    },
  /** The JSON of the response. */
  listKeys:
    (page: AskedPage<KeyPage>): Read<Uint8Array> =>
    async ({ administration, now }) => {
      const listed = await readAsked(page, (each) => administration.pageOfKeys(each, now));
      const { items, total, offset } = listed;
      const { sort = KEY_SORT } = page;
      const cursors = cursorsOf(listed, (item) => showCursor(sort, placeOfKey(item, sort)));
      const keys = items.map(({ key, workspace, used }) => showKey(key, workspace, used, now));
      return jsonBytes({ total, offset, ...cursors, keys });
    },
  listBatches:
    (filter: BatchFilter): Read<NewestBatches> =>
    async ({ administration, newestBatches }) => {
      if (filter.workspace !== undefined) await administration.getWorkspace(filter.workspace);
      return newestBatches(filter);
    },
  listAudit:
    (limit: number, before?: number, filter?: AuditFilter): Read<AuditPage> =>
    ({ administration }) =>
      administration.audit(limit, before, undefined, filter),
};

/** Null: the key has none, or the counter is of a key that does not exist. */
async function nameOfKey(administration: Administration, id: string): Promise<string | null> {
  try {
    return (await administration.getKey(id)).name;
  } catch (error) {
    if (error instanceof AccessError) return null;
    throw error;
  }
}

type Reads = typeof READS;
export type ReadName = keyof Reads;
export type ReadArguments<Name extends ReadName> = Parameters<Reads[Name]>;
export type ReadResult<Name extends ReadName> = Awaited<ReturnType<ReturnType<Reads[Name]>>>;
