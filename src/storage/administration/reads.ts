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
      const working = new Map<string, number>();
      for (const key of await administration.listKeys()) {
        if (keyWorks(key, now)) working.set(key.workspace, (working.get(key.workspace) ?? 0) + 1);
      }
      const summaries = (await administration.listWorkspaces()).map(
        (workspace): WorkspaceSummary => ({ workspace, workingKeys: working.get(workspace.id) ?? 0 }),
      );
      const { items, total } = pageOf(summaries, page, ({ workspace }) => [workspace.id], WORKSPACE_FIELDS);
      return { parts: inParts(items), total };
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
      const keys = await administration.listKeys(workspace);
      const wanted = working ? keys.filter((key) => keyWorks(key, now)) : keys;
      const texts = ({ id, workspace: owner }: Key) => [id, owner];
      const { items, total } = pageOf(wanted, page, texts, KEY_FIELDS);
      return jsonBytes({ total, keys: items.map((key) => showKey(key, now)) });
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

type Reads = typeof READS;
export type ReadName = keyof Reads;
export type ReadArguments<Name extends ReadName> = Parameters<Reads[Name]>;
export type ReadResult<Name extends ReadName> = Awaited<ReturnType<ReturnType<Reads[Name]>>>;
