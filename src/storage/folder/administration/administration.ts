import {
  type Administration,
  type Amount,
  type AuditRecord,
  readExpiry,
  type UsageFilter,
  type Workspace,
  type WorkspaceChange,
} from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import { readAudit } from '../lmdb/audit-log.js';
import type { Store } from '../lmdb/store.js';
import { createKey, getKey, listKeys, revokeKey, rollKey } from './keys.js';
import { reconcile } from './reconcile.js';
import { balanceOf, readInvoice, readUsage } from './reports.js';
import { changeWorkspace, createWorkspace, getWorkspace, grantCredit, listWorkspaces } from './workspaces.js';

/** Administration of a data folder. Each call does its work in one turn, so that it reads one snapshot. */
export class FolderAdministration implements Administration {
  /** `actor`: of the audit log; absent: the user of the command line. */
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly actor?: string,
  ) {}

  createWorkspace(id: string) {
    return this.run((store, clock) => createWorkspace(store, clock, id));
  }

  getWorkspace(id: string) {
    return this.run((store) => getWorkspace(store, id));
  }

  listWorkspaces() {
    return this.run(listWorkspaces);
  }

  changeWorkspace(id: string, change: WorkspaceChange) {
    return this.run((store, clock) => changeWorkspace(store, clock, id, change));
  }

  grantCredit(id: string, amount: Amount) {
    return this.run((store, clock) => grantCredit(store, clock, id, amount));
  }

  balance(workspace: Workspace) {
    return this.run((store, clock) => balanceOf(store, workspace, clock.now()));
  }

  createKey(workspace: string, expires?: string) {
    return this.run((store, clock) => {
      // Read once, so that days are counted from the key's creation.
      const now = clock.now();
      const until = expires === undefined ? undefined : readExpiry(expires, now);
      return createKey(store, { ...clock, now: () => now }, workspace, until);
    });
  }

  getKey(id: string) {
    return this.run((store) => getKey(store, id));
  }

  listKeys(workspace?: string) {
    return this.run((store) => {
      if (workspace !== undefined) getWorkspace(store, workspace);
      return listKeys(store, workspace);
    });
  }

  rollKey(id: string) {
    return this.run((store, clock) => rollKey(store, clock, id));
  }

  revokeKey(id: string) {
    return this.run((store, clock) => revokeKey(store, clock, id));
  }

  usage(filter: UsageFilter) {
    return this.run((store) => readUsage(store, filter));
  }

  invoice(workspace: string, month: string) {
    return this.run((store) => readInvoice(store, workspace, month));
  }

  reconcile() {
    return this.run(reconcile);
  }

  audit(limit: number, before?: number, after?: number) {
    return this.run((store) => readAudit(store.table('audit'), limit, before, after));
  }

  record(record: AuditRecord) {
    return this.run((store, clock) => store.change(() => store.audit(clock.now(), record)));
  }

  private async run<Result>(work: (store: Store, clock: Clock) => Result): Promise<Result> {
    const { store, clock, actor } = this;
    return actor === undefined ? work(store, clock) : store.as(actor, () => work(store, clock));
  }
}
