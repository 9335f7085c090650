export { DataUnavailable, OutcomeUnknown } from './administration/administration-thread.js';
export type { KeyContext } from './administration/reads.js';
export { dataFileOf, pathOf, storeExists } from './data-folder/data-folder.js';
export {
  type ReloadOutcome,
  readOutcome,
  removeOutcome,
  writeOutcome,
} from './data-folder/reload-outcome.js';
export { servingPid, servingProcess } from './data-folder/serving.js';
export { openStorage } from './open-storage.js';
export type { Rekeyed, Storage } from './storage.js';
