export { answer, answerJson } from './answers/index.js';
export { checkImages, checkRequest, mayUse } from './check-request.js';
export { decompress, loadZstd } from './content/index.js';
export * from './decide.js';
export * from './plan/index.js';
export * from './prepare.js';
export * from './prepare-sent.js';
export { openBody, stateBytes } from './request/index.js';
export type * from './types.js';
