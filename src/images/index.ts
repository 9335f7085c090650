export type { ImageFile } from './check-file.js';
export { loadImageLibrary } from './decode.js';
export { gridSize, gridTokens } from './pixels.js';
export { type DecodeTurn, ImageReader, inspectImages } from './reader.js';
