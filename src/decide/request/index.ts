export { type OpenBody, openBody } from './open-body.js';
export { quoteName } from './quote-name.js';
export { type ReadOptions, readRequest } from './read-request.js';
export { stateBytes } from './state-bytes.js';
export { stateText, type TextNode } from './state-text.js';
