export { fence, SessionLost } from './fence.js';
export type { NodeName } from './node-rows.js';
export { Session } from './session.js';
