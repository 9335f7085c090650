export { fence, type NodeName, Session, SessionLost } from './session/index.js';
