import type { AuditEntry, AuditFilter, AuditRecord } from './audit.js';
import { BATCH_CHANGES } from './batch-changes.js';
import type { Reconciliation } from './books.js';
import type { Change } from './change.js';
import { KEY_CHANGES } from './key-changes.js';
import type { LastUses } from './key-uses.js';
import type { Key } from './keys.js';
import type { KeyPage, Listed, ListedKey, ListedWorkspace, WorkspacePage } from './list-pages.js';
import type { Amount } from './money.js';
import type { UsageFilter, UsageRow } from './usage-report.js';
import { WORKSPACE_CHANGES } from './workspace-changes.js';
import type { Workspace } from './workspaces.js';

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

/** Every administrative change, by its name. */
export const CHANGES = {
  ...WORKSPACE_CHANGES,
  ...KEY_CHANGES,
  ...BATCH_CHANGES,
  /** Adds an entry to the audit log about something else than workspaces and keys. */
  record: (record: AuditRecord): Change<void> => ({ decide: () => ({ result: undefined, record }) }),
};

type Changes = typeof CHANGES;
export type ChangeName = keyof Changes;
export type ChangeArguments<Name extends ChangeName> = Parameters<Changes[Name]>;
export type ChangeResult<Name extends ChangeName> = ReturnType<ReturnType<Changes[Name]>['decide']>['result'];

/**
 * What an administrator reads and changes: workspaces, keys, credit, reports and the audit log. All reject with AccessError
 * if the request is wrong, and with an error of the store if it cannot be read or written.
 */
export interface Administration {
  /**
   * Makes one of CHANGES. When its promise resolves, it is stored, with its entry of the audit log; if it rejects, nothing
   * was changed, except perhaps after `CommitUnknown` of a database.
   */
  change<Result>(change: Change<Result>): Promise<Result>;
  getWorkspace(id: string): Promise<Workspace>;
  /** Sorted by id. */
  listWorkspaces(): Promise<Workspace[]>;
  /** Does not include charges that a running server has not written yet. */
  balance(workspace: Workspace): Promise<Balance>;
  getKey(id: string): Promise<Key>;
  /** The keys of a workspace, or of all, oldest first. */
  listKeys(workspace?: string): Promise<Key[]>;
  /** A page of the workspaces. `now`: when the keys that are counted must work, in milliseconds since 1970. */
  pageOfWorkspaces(page: WorkspacePage, now: number): Promise<Listed<ListedWorkspace>>;
  /** A page of the keys, of one workspace or all. `now`: as above. */
  pageOfKeys(page: KeyPage, now: number): Promise<Listed<ListedKey>>;
  /** When these keys were last used, or all; those that never were are missing. */
  lastUses(keys?: readonly string[]): Promise<LastUses>;
  /** The matching counters, ordered by workspace, day, key, model, kind and price. */
  usage(filter: UsageFilter): Promise<UsageRow[]>;
  /** Verifies the stored ledger of every workspace. */
  reconcile(): Promise<Reconciliation>;
  /** Entries that fit the filter, with a number below `before` and above `after`. Numbers count all entries from 1, without gaps. */
  audit(limit: number, before?: number, after?: number, filter?: AuditFilter): Promise<AuditPage>;
}
