export { checkModels, type ModelCheck } from './check-models.js';
export { reportError, serve } from './run.js';
export { type Server, StartError, type Surroundings, startServer } from './server.js';
export { loadSettings, SETTINGS, type Settings } from './settings.js';
