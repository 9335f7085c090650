import type { AuditEntry, AuditRecord } from './audit.js';
import type { Reconciliation } from './books.js';
import type { Invoice } from './invoice.js';
import type { Key, NewKey, RolledKey } from './keys.js';
import type { Amount } from './money.js';
import type { UsageFilter, UsageRow } from './usage-report.js';
import type { Workspace, WorkspaceChange } from './workspaces.js';

/** The charges and balance of a workspace, as stored. */
export interface Balance {
  readonly charged: Amount;
  /** Credit granted minus charges. Negative if more credit was taken back than was left. */
  readonly balance: Amount;
  /** Charged in the current UTC month. */
  readonly monthCharged: Amount;
}

/** Entries of the audit log, newest first, and whether there are older ones. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry & { readonly number: number }>;
  readonly more: boolean;
}

/**
 * What an administrator reads and changes: workspaces, keys, credit, reports and the audit log. A change is stored, with
 * its entry of the audit log, when its promise resolves; if it rejects, nothing was changed, except perhaps after
 * `CommitUnknown` of a database. All reject with AccessError if the request is wrong, and with an error of the store if it
 * cannot be read or written.
 */
export interface Administration {
  /** Creates a workspace without credit. */
  createWorkspace(id: string): Promise<Workspace>;
  getWorkspace(id: string): Promise<Workspace>;
  /** Sorted by id. */
  listWorkspaces(): Promise<Workspace[]>;
  /** Sets budget, models or limits. */
  changeWorkspace(id: string, change: WorkspaceChange): Promise<Workspace>;
  /** Grants credit; a negative amount takes it back. */
  grantCredit(id: string, amount: Amount): Promise<Workspace>;
  /** Does not include charges that a running server has not written yet. */
  balance(workspace: Workspace): Promise<Balance>;

  /** Creates a key. `expires`: see `readExpiry`; absent: DEFAULT_LIFETIME_DAYS. */
  createKey(workspace: string, expires?: string): Promise<NewKey>;
  getKey(id: string): Promise<Key>;
  /** The keys of a workspace, or of all, oldest first. */
  listKeys(workspace?: string): Promise<Key[]>;
  /** Creates a successor of a key; see `keyRoll`. */
  rollKey(id: string): Promise<RolledKey>;
  /** Revokes a key, at once and permanently. Revoking it again changes nothing. */
  revokeKey(id: string): Promise<Key>;

  /** The matching counters, ordered by workspace, day, key, model, kind and price. */
  usage(filter: UsageFilter): Promise<UsageRow[]>;
  /** The charges of a workspace in a month written as `2026-11`. */
  invoice(workspace: string, month: string): Promise<Invoice>;
  /** Verifies the stored ledger of every workspace. */
  reconcile(): Promise<Reconciliation>;

  /** Entries with a number below `before` and above `after`. Numbers count the entries from 1, without gaps. */
  audit(limit: number, before?: number, after?: number): Promise<AuditPage>;
  /** Adds an entry about something else than workspaces and keys. */
  record(record: AuditRecord): Promise<void>;
}
