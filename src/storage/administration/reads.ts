import {
  type Administration,
  type AuditPage,
  keyWorks,
  showKey,
  sumPrices,
  type Workspace,
} from '../../access/index.js';
import type { BatchFilter, NewestBatches } from '../../batch/index.js';
import { inParts, jsonBytes, showUsageRow } from './lists.js';

/** A workspace as the operator sees it. */
export interface WorkspaceSummary {
  readonly workspace: Workspace;
  /** Keys that are neither revoked nor expired. */
  readonly workingKeys: number;
}

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
  /** Parts with the summaries; see `inParts`. */
  listWorkspaces:
    (): Read<Uint8Array[]> =>
    async ({ administration, now }) => {
      const working = new Map<string, number>();
      for (const key of await administration.listKeys()) {
        if (keyWorks(key, now)) working.set(key.workspace, (working.get(key.workspace) ?? 0) + 1);
      }
      const summaries = (await administration.listWorkspaces()).map(
        (workspace): WorkspaceSummary => ({ workspace, workingKeys: working.get(workspace.id) ?? 0 }),
      );
      return inParts(summaries);
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
    (workspace?: string): Read<Uint8Array> =>
    async ({ administration, now }) => {
      const keys = await administration.listKeys(workspace);
      return jsonBytes({ keys: keys.map((key) => showKey(key, now)) });
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
