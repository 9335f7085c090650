export { ClusterLedger, type LedgerPart, type TakenChanges } from './ledger/index.js';
export { fence, type NodeName, Session, SessionLost } from './session/index.js';
