import {
  changeWorkspace,
  createKey,
  createWorkspace,
  getWorkspace,
  grantCredit,
  keyWorks,
  listKeys,
  listWorkspaces,
  readExpiry,
  readUsage,
  requireModels,
  revokeKey,
  rollKey,
  showKey,
  sumPrices,
  type Workspace,
  type WorkspaceChange,
} from '../../access/index.js';
import type { Clock } from '../../base/index.js';
import { newestBatches } from '../../batch/index.js';
import type { AuditFields, Store } from '../../store/index.js';
import { readAudit } from '../../store/index.js';
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

/**
 * What the operator's interface reads and changes in the data folder. Each task runs in one turn of the administration
 * thread. Throw AccessError or StoreError: a task that changes something reads nothing after its transaction, so that
 * nothing is changed if it throws.
 */
export const TASKS = {
  /** Parts with the summaries; see `inParts`. */
  listWorkspaces(store: Store, clock: Clock): Uint8Array[] {
    const now = clock.now();
    const working = new Map<string, number>();
    for (const { value: key } of store.table('keys').entries()) {
      if (keyWorks(key, now)) working.set(key.workspace, (working.get(key.workspace) ?? 0) + 1);
    }
    const summaries = listWorkspaces(store).map(
      (workspace): WorkspaceSummary => ({ workspace, workingKeys: working.get(workspace.id) ?? 0 }),
    );
    return inParts(summaries);
  },
  getWorkspace: (store: Store, _: Clock, { id }: { readonly id: string }) => getWorkspace(store, id),
  createWorkspace: (store: Store, clock: Clock, { id }: { readonly id: string }) =>
    createWorkspace(store, clock, id),
  changeWorkspace(store: Store, clock: Clock, { id, change, known }: ChangeTask): Workspace {
    const workspace = getWorkspace(store, id);
    if (change.models && known !== null) {
      requireModels(change.models, (name) => known.includes(name), workspace, 'Set force to true');
    }
    return changeWorkspace(store, clock, id, change);
  },
  grantCredit: (
    store: Store,
    clock: Clock,
    { id, amount }: { readonly id: string; readonly amount: bigint },
  ) => grantCredit(store, clock, id, amount),
  /** The JSON of the response. */
  showUsage(store: Store, _: Clock, { workspace, from, to, currency }: UsageTask): Uint8Array {
    const rows = sumPrices(readUsage(store, { workspace, from, to }));
    return jsonBytes({ currency, from, to, usage: rows.map(showUsageRow) });
  },
  /** The JSON of the response. */
  listKeys(
    store: Store,
    clock: Clock,
    { workspace }: { readonly workspace?: string | undefined },
  ): Uint8Array {
    if (workspace !== undefined) getWorkspace(store, workspace);
    const now = clock.now();
    return jsonBytes({ keys: listKeys(store, workspace).map((key) => showKey(key, now)) });
  },
  createKey(
    store: Store,
    clock: Clock,
    { workspace, expires }: { readonly workspace: string; readonly expires?: string | undefined },
  ) {
    const until = expires === undefined ? undefined : readExpiry(expires, clock.now());
    return createKey(store, clock, workspace, until);
  },
  rollKey: (store: Store, clock: Clock, { id }: { readonly id: string }) => rollKey(store, clock, id),
  revokeKey: (store: Store, clock: Clock, { id }: { readonly id: string }) => revokeKey(store, clock, id),
  listBatches(store: Store, _: Clock, filter: Parameters<typeof newestBatches>[1]) {
    if (filter.workspace !== undefined) getWorkspace(store, filter.workspace);
    return newestBatches(store, filter);
  },
  listAudit: (
    store: Store,
    _: Clock,
    { limit, before }: { readonly limit: number; readonly before?: number | undefined },
  ) => readAudit(store.table('audit'), limit, before),
  auditReload(
    store: Store,
    clock: Clock,
    { before, after }: { readonly before: AuditFields; readonly after: AuditFields },
  ): void {
    // Without `before`, a reload that changes nothing has an entry too.
    const fields = Object.keys(before).length === 0 ? { after } : { before, after };
    store.change(() => store.audit(clock.now(), { action: 'settings.reload', ...fields }));
  },
} as const;

export type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
/** What a task is given besides the store and the clock. */
export type TaskArguments<Name extends TaskName> = Parameters<Tasks[Name]>[2];
