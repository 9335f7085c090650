import type {
  Administration,
  Amount,
  AuditRecord,
  UsageFilter,
  Workspace,
  WorkspaceChange,
} from '../../../access/index.js';
import type { Database } from '../postgres/database.js';
import { readAudit } from './audit-log.js';
import { type Change, inChange } from './change.js';
import { createKey, getKey, listKeys, revokeKey, rollKey } from './keys.js';
import { reconcile } from './reconcile.js';
import { balanceOf, readInvoice, readUsage } from './reports.js';
import { changeWorkspace, createWorkspace, getWorkspace, grantCredit, listWorkspaces } from './workspaces.js';

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

  createWorkspace(id: string) {
    return this.change((change) => createWorkspace(change, id));
  }

  getWorkspace(id: string) {
    return getWorkspace(this.database, id);
  }

  listWorkspaces() {
    return listWorkspaces(this.database);
  }

  changeWorkspace(id: string, settings: WorkspaceChange) {
    return this.change((change) => changeWorkspace(change, id, settings));
  }

  grantCredit(id: string, amount: Amount) {
    return this.change((change) => grantCredit(change, id, amount));
  }

  balance(workspace: Workspace) {
    return balanceOf(this.database, workspace);
  }

  createKey(workspace: string, expires?: string) {
    return this.change((change) => createKey(change, workspace, expires));
  }

  getKey(id: string) {
    return getKey(this.database, id);
  }

  listKeys(workspace?: string) {
    return listKeys(this.database, workspace);
  }

  rollKey(id: string) {
    return this.change((change) => rollKey(change, id));
  }

  revokeKey(id: string) {
    return this.change((change) => revokeKey(change, id));
  }

  usage(filter: UsageFilter) {
    return readUsage(this.database, filter);
  }

  invoice(workspace: string, month: string) {
    return readInvoice(this.database, workspace, month);
  }

  reconcile() {
    return reconcile(this.database);
  }

  audit(limit: number, before?: number, after?: number) {
    return readAudit(this.database, limit, before, after);
  }

  record(record: AuditRecord) {
    return this.change((change) => change.audit(record));
  }

  private change<Result>(work: (change: Change) => Promise<Result>): Promise<Result> {
    return inChange(this.database, this.actor, work);
  }
}
