export type { ServerDependencies } from './dependencies.js';
export { StartError } from './dependencies.js';
export { prepareEngine, requireImageRoom } from './engine-setup.js';
export { type Server, startServer } from './server.js';
