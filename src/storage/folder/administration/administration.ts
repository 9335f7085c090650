import type {
  Administration,
  AuditFilter,
  Change,
  KeyPage,
  UsageFilter,
  Workspace,
  WorkspacePage,
} from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import { lastUses } from '../directory/key-uses.js';
import { readAudit } from '../lmdb/audit-log.js';
import type { Store } from '../lmdb/store.js';
import { makeChange } from './change.js';
import { pageOfKeys, pageOfWorkspaces } from './pages.js';
import { reconcile } from './reconcile.js';
import { balanceOf, readUsage } from './reports.js';
import { getKey, getWorkspace, listKeys, listWorkspaces } from './rows.js';

/** Administration of a data folder. Each call does its work in one turn, so that it reads one snapshot. */
export class FolderAdministration implements Administration {
  /** `actor`: of the audit log; absent: the user of the command line. */
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly actor?: string,
  ) {}

  async change<Result>(change: Change<Result>) {
    const { store, clock, actor } = this;
    const make = () => makeChange(store, clock, change);
    return actor === undefined ? make() : store.as(actor, make);
  }

  async getWorkspace(id: string) {
    return getWorkspace(this.store, id);
  }

  async listWorkspaces() {
    return listWorkspaces(this.store);
  }

  async balance(workspace: Workspace) {
    return balanceOf(this.store, workspace, this.clock.now());
  }

  async getKey(id: string) {
    return getKey(this.store, id);
  }

  async listKeys(workspace?: string) {
    if (workspace !== undefined) getWorkspace(this.store, workspace);
    return listKeys(this.store, workspace);
  }

  async pageOfWorkspaces(page: WorkspacePage, now: number) {
    return pageOfWorkspaces(this.store, page, now);
  }

  async pageOfKeys(page: KeyPage, now: number) {
    return pageOfKeys(this.store, page, now);
  }

  async lastUses(keys?: readonly string[]) {
    return lastUses(this.store, keys);
  }

  async usage(filter: UsageFilter) {
    return readUsage(this.store, filter);
  }

  async reconcile() {
    return reconcile(this.store);
  }

  async audit(limit: number, before?: number, after?: number, filter?: AuditFilter) {
    return readAudit(this.store.table('audit'), limit, before, after, filter);
  }
}
