export { isProjector } from './choose-model.js';
export { HubConnection } from './connection.js';
export type { PullProgress } from './download-progress.js';
export { hubSettings } from './hub-environment.js';
export { requireSpace } from './part-file.js';
export { downloadSelection, type HubContext, type Selection, select } from './pull.js';
export { parseReference, showReference } from './reference.js';
