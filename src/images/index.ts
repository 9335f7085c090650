export type { ImageFile } from './check-file.js';
export { loadImageLibrary } from './decode.js';
export { gridSize, gridTokens } from './pixels.js';
export { ImageReader } from './reader.js';
