export { expiryWarning, tlsFiles } from './certificate.js';
export type { ServerDependencies } from './dependencies.js';
export { placeModel, prepareEngine, requireImageRoom } from './engine-setup.js';
export { exposureOf, type HostSetting } from './exposure.js';
export { type LocalService, openLocal } from './local.js';
export { checkMemory, checkTotalMemory, type MemoryReport } from './memory.js';
export { type Server, startServer } from './server.js';
