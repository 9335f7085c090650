export { Access, type KeyUsage } from './access.js';
export {
  type Administration,
  type AuditPage,
  type Balance,
  CHANGES,
  type ChangeArguments,
  type ChangeName,
  type ChangeResult,
} from './administration.js';
export {
  AUDIT_ENTRIES_MAX,
  type AuditEntry,
  type AuditFields,
  type AuditFilter,
  type AuditRecord,
  auditEntry,
  commandActor,
  fitsFilter,
  isRecorded,
} from './audit.js';
export type { Caller, Directory } from './authenticate.js';
export { cancelRecord } from './batch-changes.js';
export { type Books, booksOf, compare, orphanOf, type Reconciliation, type StoredSums } from './books.js';
export { areSameMonths, type BudgetMonths, budgetMonths } from './budget-months.js';
export type { Change, StoredBatch } from './change.js';
export { dayOf, daysOf, lastDays, monthBefore, monthOf } from './dates.js';
export { type Invoice, readInvoice } from './invoice.js';
export type { NewKey } from './key-changes.js';
export { KeyUses, type LastUses, USE_PRECISION_MS } from './key-uses.js';
export { byCreation, foundKey, isKeyId, type Key, keyWorks, showKey } from './keys.js';
export type { AccountBalance, Ledger, Reservation } from './ledger.js';
export {
  type KeyPage,
  type Listed,
  type ListedKey,
  type ListedWorkspace,
  type ListPage,
  type ListPlace,
  placeOfKey,
  placeOfWorkspace,
  type WorkspacePage,
} from './list-pages.js';
export {
  type Amount,
  type Charge,
  costOf,
  type Kind,
  type Price,
  parseAmount,
  parsePrice,
  showAmount,
  showPrice,
} from './money.js';
export { sortedName } from './names.js';
export { readCursor, showCursor } from './page-cursors.js';
export { coverOf, lacking, type Pause, pausedError, pauseOf, refuse } from './pause.js';
export { RateLimiter, type RateLimits } from './rate-limit.js';
export type { MinuteLimits, RatesLeft } from './sliding-window.js';
export {
  checkDays,
  sumPrices,
  type UsageFilter,
  type UsageRow,
  type UsageSum,
  usageRow,
} from './usage-report.js';
export { versionOf, type WorkspaceChange } from './workspace-changes.js';
export {
  AccessError,
  DEFAULT_WORKSPACE,
  foundWorkspace,
  isWorkspaceId,
  readAmount,
  readGrant,
  type Workspace,
} from './workspaces.js';
