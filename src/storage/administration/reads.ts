import {
  type Administration,
  type AuditPage,
  type Key,
  keyWorks,
  showKey,
  sumPrices,
  type Workspace,
} from '../../access/index.js';
import type { KEY_SORTS, WORKSPACE_SORTS } from '../../api/index.js';
import type { BatchFilter, NewestBatches } from '../../batch/index.js';
import { inParts, jsonBytes, showUsageRow } from './lists.js';
import { type Page, pageOf } from './page.js';

/** A workspace as the operator sees it. */
export interface WorkspaceSummary {
  readonly workspace: Workspace;
  /** Keys that are neither revoked nor expired. */
  readonly workingKeys: number;
}

/** The workspace of a key, and the hour of its last use; undefined if it never was. */
export interface KeyContext {
  readonly workspace: Pick<Workspace, 'closed'>;
  readonly used: number | undefined;
}

/** Summaries of workspaces. */
interface WorkspacePage {
  readonly parts: Uint8Array[];
  /** On all pages. */
  readonly total: number;
}

/** The keys of a workspace, or of all. `working`: only those that are neither revoked nor expired. */
interface KeyFilter extends Page {
  readonly workspace?: string;
  readonly working?: boolean;
}

/** The fields by which workspaces are sorted. */
const WORKSPACE_FIELDS: Record<
  (typeof WORKSPACE_SORTS)[number],
  (item: WorkspaceSummary) => string | number
> = {
  id: ({ workspace }) => workspace.id,
  created: ({ workspace }) => workspace.created,
  granted: ({ workspace }) => Number(workspace.granted),
  working_keys: ({ workingKeys }) => workingKeys,
};

/** The fields by which keys are sorted. */
const KEY_FIELDS: Record<(typeof KEY_SORTS)[number], (item: Key) => string | number> = {
  id: ({ id }) => id,
  workspace: ({ workspace }) => workspace,
  created: ({ created }) => created,
  expires: ({ expires }) => expires ?? Number.POSITIVE_INFINITY,
};

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
  /** Parts with the summaries of a page (see `inParts`), and the number of workspaces on all pages. */
  listWorkspaces:
    (page: Page = {}): Read<WorkspacePage> =>
    async ({ administration, now }) => {
      const workspaces = await administration.listWorkspaces();
      const owners = new Map(workspaces.map((workspace) => [workspace.id, workspace]));
      const working = new Map<string, number>();
      for (const key of await administration.listKeys()) {
        if (works(key, owners, now)) working.set(key.workspace, (working.get(key.workspace) ?? 0) + 1);
      }
      const summaries = workspaces.map(
        (workspace): WorkspaceSummary => ({ workspace, workingKeys: working.get(workspace.id) ?? 0 }),
      );
      const { items, total } = pageOf(
        summaries,
        page,
        ({ workspace }) => [workspace.id, workspace.name ?? ''],
        WORKSPACE_FIELDS,
      );
      return { parts: inParts(items), total };
    },
  /** What is shown of a key besides its own fields. */
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
  getWorkspace:
    (id: string): Read<Workspace> =>
    ({ administration }) =>
      administration.getWorkspace(id),
  /** The JSON of the response. */
  showUsage:
    ({ workspace, from, to, currency }: UsageReport): Read<Uint8Array> =>
    async ({ administration }) => {
      const rows = sumPrices(await administration.usage({ workspace, from, to }));
      return jsonBytes({ currency, from, to, usage: rows.map(showUsageRow) });
    },
  /** The JSON of the response. */
  listKeys:
    ({ workspace, working, ...page }: KeyFilter = {}): Read<Uint8Array> =>
    async ({ administration, now }) => {
      const owners = new Map((await administration.listWorkspaces()).map((owner) => [owner.id, owner]));
      const keys = await administration.listKeys(workspace);
      const wanted = working ? keys.filter((key) => works(key, owners, now)) : keys;
      const texts = ({ id, workspace: owner, name }: Key) => [id, owner, name ?? ''];
      const { items, total } = pageOf(wanted, page, texts, KEY_FIELDS);
      const uses = await administration.lastUses(items.map(({ id }) => id));
      const shown = items.map((key) => showKey(key, ownerOf(key, owners), uses.get(key.id), now));
      return jsonBytes({ total, keys: shown });
    },
  listBatches:
    (filter: BatchFilter): Read<NewestBatches> =>
    async ({ administration, newestBatches }) => {
      if (filter.workspace !== undefined) await administration.getWorkspace(filter.workspace);
      return newestBatches(filter);
    },
  listAudit:
    (limit: number, before?: number): Read<AuditPage> =>
    ({ administration }) =>
      administration.audit(limit, before),
};

type Owners = ReadonlyMap<string, Workspace>;

/** A key whose workspace does not exist works as little as that of a closed one. */
const ownerOf = ({ workspace }: Key, owners: Owners) => owners.get(workspace) ?? { closed: 0 };

const works = (key: Key, owners: Owners, now: number): boolean => keyWorks(key, ownerOf(key, owners), now);

type Reads = typeof READS;
export type ReadName = keyof Reads;
export type ReadArguments<Name extends ReadName> = Parameters<Reads[Name]>;
export type ReadResult<Name extends ReadName> = Awaited<ReturnType<ReturnType<Reads[Name]>>>;
