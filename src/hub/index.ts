export { isProjector } from './choose.js';
export { HubConnection } from './connection.js';
export { hubSettings } from './environment.js';
export { requireSpace } from './part-file.js';
export type { Progress } from './progress.js';
export { downloadSelection, type HubContext, type Selection, select } from './pull.js';
export { parseReference, shellWord, showReference } from './reference.js';
