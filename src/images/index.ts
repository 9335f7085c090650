export type { ImageFile } from './check-file.js';
export { gridSize, gridTokens } from './pixels.js';
export { type Fit, ImageReader } from './reader.js';
