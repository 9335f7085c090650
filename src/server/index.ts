export { checkModels, type ModelCheck } from './check-models.js';
export type { Surroundings } from './engines.js';
export { reportError, serve } from './run.js';
export { type Server, StartError, startServer } from './server.js';
export { loadSettings, SETTINGS, type Settings } from './settings.js';
