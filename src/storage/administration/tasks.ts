import {
  type Administration,
  type AuditFields,
  keyWorks,
  requireModels,
  showKey,
  sumPrices,
  type Workspace,
  type WorkspaceChange,
} from '../../access/index.js';
import type { BatchFilter, NewestBatches } from '../../batch/index.js';
import { inParts, jsonBytes, showUsageRow } from './lists.js';

/** A workspace as the operator sees it. */
export interface WorkspaceSummary {
  readonly workspace: Workspace;
  /** Keys that are neither revoked nor expired. */
  readonly workingKeys: number;
}

/** The settings or models of a workspace that change. */
interface ChangeTask {
  readonly id: string;
  readonly change: WorkspaceChange;
  /** The models that the manifest has; null: any name is accepted. */
  readonly known: readonly string[] | null;
}

/** A report of usage, from the first to the last day. */
interface UsageTask {
  readonly workspace: string;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
}

/** What tasks work with. */
export interface TaskParts {
  readonly administration: Administration;
  /** Milliseconds since 1970, by the server's calendar. */
  readonly now: number;
  newestBatches(filter: BatchFilter): Promise<NewestBatches>;
}

/**
 * What the operator's interface reads and changes. Reject with AccessError, or with StoreError or DatabaseUnavailable: a task
 * that changes something reads nothing after its transaction, so that nothing is changed if it rejects; except perhaps with
 * CommitUnknown.
 */
export const TASKS = {
  /** Parts with the summaries; see `inParts`. */
  async listWorkspaces({ administration, now }: TaskParts): Promise<Uint8Array[]> {
    const working = new Map<string, number>();
    for (const key of await administration.listKeys()) {
      if (keyWorks(key, now)) working.set(key.workspace, (working.get(key.workspace) ?? 0) + 1);
    }
    const summaries = (await administration.listWorkspaces()).map(
      (workspace): WorkspaceSummary => ({ workspace, workingKeys: working.get(workspace.id) ?? 0 }),
    );
    return inParts(summaries);
  },
  getWorkspace: ({ administration }: TaskParts, { id }: { readonly id: string }) =>
    administration.getWorkspace(id),
  createWorkspace: ({ administration }: TaskParts, { id }: { readonly id: string }) =>
    administration.createWorkspace(id),
  async changeWorkspace(
    { administration }: TaskParts,
    { id, change, known }: ChangeTask,
  ): Promise<Workspace> {
    const workspace = await administration.getWorkspace(id);
    if (change.models && known !== null) {
      requireModels(change.models, (name) => known.includes(name), workspace, 'Set force to true');
    }
    return administration.changeWorkspace(id, change);
  },
  grantCredit: (
    { administration }: TaskParts,
    { id, amount }: { readonly id: string; readonly amount: bigint },
  ) => administration.grantCredit(id, amount),
  /** The JSON of the response. */
  async showUsage({ administration }: TaskParts, { workspace, from, to, currency }: UsageTask) {
    const rows = sumPrices(await administration.usage({ workspace, from, to }));
    return jsonBytes({ currency, from, to, usage: rows.map(showUsageRow) });
  },
  /** The JSON of the response. */
  async listKeys(
    { administration, now }: TaskParts,
    { workspace }: { readonly workspace?: string | undefined },
  ): Promise<Uint8Array> {
    const keys = await administration.listKeys(workspace);
    return jsonBytes({ keys: keys.map((key) => showKey(key, now)) });
  },
  createKey: (
    { administration }: TaskParts,
    { workspace, expires }: { readonly workspace: string; readonly expires?: string | undefined },
  ) => administration.createKey(workspace, expires),
  rollKey: ({ administration }: TaskParts, { id }: { readonly id: string }) => administration.rollKey(id),
  revokeKey: ({ administration }: TaskParts, { id }: { readonly id: string }) => administration.revokeKey(id),
  async listBatches({ administration, newestBatches }: TaskParts, filter: BatchFilter) {
    if (filter.workspace !== undefined) await administration.getWorkspace(filter.workspace);
    return newestBatches(filter);
  },
  listAudit: (
    { administration }: TaskParts,
    { limit, before }: { readonly limit: number; readonly before?: number | undefined },
  ) => administration.audit(limit, before),
  auditReload(
    { administration }: TaskParts,
    { before, after }: { readonly before: AuditFields; readonly after: AuditFields },
  ): Promise<void> {
    // Without `before`, a reload that changes nothing has an entry too.
    const fields = Object.keys(before).length === 0 ? { after } : { before, after };
    return administration.record({ action: 'settings.reload', ...fields });
  },
} as const;

type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
/** What a task is given besides what it works with. */
export type TaskArguments<Name extends TaskName> = Parameters<Tasks[Name]>[1];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
