export { ClusterLedger } from './cluster-ledger.js';
export type { LedgerPart, TakenChanges } from './part.js';
