export { decompress } from './decompress.js';
export { type ReadContent, readContent } from './read-content.js';
export { loadZstd } from './zstd.js';
