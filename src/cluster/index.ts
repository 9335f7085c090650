export { ClusterAdministration, createFirstKey } from './administration/index.js';
export { ClusterDirectory } from './directory/index.js';
export { ClusterLedger, type LedgerPart, type TakenChanges } from './ledger/index.js';
export type { ComparedTable, ReportRows } from './move/compare.js';
export { moveToDatabase } from './move/to-database.js';
export { moveToFolder } from './move/to-folder.js';
export { ClusterRateLimits } from './rates/cluster-rate-limits.js';
export { fence, type NodeName, Session, SessionLost } from './session/index.js';
