export { addressesOf } from './addresses.js';
export { placeModel, prepareEngine, requireImageRoom, requirePlaces } from './engine-setup.js';
export { exposureOf } from './exposure.js';
export { type LocalService, openLocal } from './local.js';
export { checkMemory, checkTotalMemory, type MemoryReport } from './memory.js';
export { type Server, startServer } from './server.js';
export type { ServerDependencies } from './server-dependencies.js';
export { MODEL_CHECKS, SETTINGS_CHECKS } from './start-checks.js';
export { expiryWarning, tlsFiles } from './watch-certificate.js';
