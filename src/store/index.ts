export {
  AUDIT_ENTRIES_MAX,
  type AuditEntry,
  type AuditFields,
  type AuditRecord,
  auditEntry,
  commandActor,
  isRecorded,
  readAudit,
} from './audit.js';
export { backUp } from './backup.js';
export type { BackupFacts } from './backup-file.js';
export { dataFileOf, StoreError } from './data-folder.js';
export { fillStore } from './fill.js';
export { FORMAT, openStore, openToRead, serveStore } from './format.js';
export * from './kept-time.js';
export type { KeyPart } from './key-layout.js';
export { storeExists } from './make-store.js';
export {
  checkMasterKey,
  hasMasterKey,
  masterCheck,
  opensMasterCheck,
  requireUnused,
} from './master-check.js';
export { MASTER_KEY_FILE, readMasterKey } from './master-key.js';
export { finishRekey, type Rekeyed, rekey, rekeyServed, removeKeyLink } from './rekey.js';
export { restore } from './restore.js';
export { randomDataKey, Sealer } from './sealer.js';
export { type Place, placeOf, seal, sealedBytes, sealInto, unseal } from './sealing.js';
export { serveAlone, serveWithoutStore, servingPid, servingProcess } from './serving.js';
export { storeSpace } from './space.js';
export type { Store } from './store.js';
export type { Table, TableEntry, Value } from './table.js';
export { TABLES, type TableName } from './tables.js';
export { requireUpgradeSpace, type Upgrade } from './upgrade.js';
export type { RawWrite } from './writer-thread.js';
