import type {
  Administration,
  AuditFilter,
  Change,
  KeyPage,
  UsageFilter,
  Workspace,
  WorkspacePage,
} from '../../../access/index.js';
import { lastUses } from '../directory/key-uses.js';
import type { Database } from '../postgres/database.js';
import { readAudit } from './audit-log.js';
import { inChange, makeChange } from './change.js';
import { pageOfKeys, pageOfWorkspaces } from './pages.js';
import { reconcile } from './reconcile.js';
import { balanceOf, readUsage } from './reports.js';
import { getKey, getWorkspace, listKeys, listWorkspaces } from './rows.js';

/**
 * Administration of a database. Nodes and other administrators may use the database at the same time. All times are by its
 * clock. Methods also reject with DatabaseUnavailable: then nothing was changed, except perhaps after `CommitUnknown`.
 */
export class DatabaseAdministration implements Administration {
  /** `actor`: who makes the changes, for the audit log. */
  constructor(
    private readonly database: Database,
    private readonly actor: string,
  ) {}

  change<Result>(change: Change<Result>) {
    return inChange(this.database, this.actor, (open) => makeChange(open, change));
  }

  getWorkspace(id: string) {
    return getWorkspace(this.database, id);
  }

  listWorkspaces() {
    return listWorkspaces(this.database);
  }

  balance(workspace: Workspace) {
    return balanceOf(this.database, workspace);
  }

  getKey(id: string) {
    return getKey(this.database, id);
  }

  async listKeys(workspace?: string) {
    if (workspace !== undefined) await getWorkspace(this.database, workspace);
    return listKeys(this.database, workspace);
  }

  pageOfWorkspaces(page: WorkspacePage, now: number) {
    return pageOfWorkspaces(this.database, page, now);
  }

  pageOfKeys(page: KeyPage, now: number) {
    return pageOfKeys(this.database, page, now);
  }

  lastUses(keys?: readonly string[]) {
    return lastUses(this.database, keys);
  }

  usage(filter: UsageFilter) {
    return readUsage(this.database, filter);
  }

  reconcile() {
    return reconcile(this.database);
  }

  audit(limit: number, before?: number, after?: number, filter?: AuditFilter) {
    return readAudit(this.database, limit, before, after, filter);
  }
}
