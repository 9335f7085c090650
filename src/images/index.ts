export type { ImageFile } from './check-file.js';
export { gridSize, gridTokens } from './grid.js';
export { type Fit, ImageReader } from './reader.js';
