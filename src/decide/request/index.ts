export { quoteName } from './quote-name.js';
export { type ReadOptions, readRequest } from './read-request.js';
export { stateBytes } from './state-bytes.js';
export { stateText } from './state-text.js';
