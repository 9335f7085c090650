export { commandClock } from './calendar.js';
export { checkModels, type ModelCheck } from './check-models.js';
export { type DoctorOptions, examine, type Finding } from './doctor.js';
export type { ServerDependencies } from './engines.js';
export { reportError, serve } from './run.js';
export { type Server, startServer } from './server.js';
export { loadSettings, SETTINGS, type Settings } from './settings.js';
export { StartError } from './start-error.js';
