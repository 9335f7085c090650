export { placeModel, prepareEngine, requireImageRoom } from './engine-setup.js';
export { exposureOf, type HostSetting } from './exposure.js';
export { type LocalService, openLocal } from './local.js';
export { checkMemory, checkTotalMemory, type MemoryReport } from './memory.js';
export { type Server, startServer } from './server.js';
export type { ServerDependencies } from './server-dependencies.js';
export { expiryWarning, tlsFiles } from './watch-certificate.js';
