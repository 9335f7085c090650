export { ClusterBatches } from './cluster-batches.js';
export type { ClusterBatchDependencies } from './dependencies.js';
export { type OpenCall, openValues } from './reading/open-values.js';
export { countStoredAbort } from './tables/aborts.js';
export { newestBatches } from './tables/newest.js';
export { OPENING_THREAD } from './threads.js';
