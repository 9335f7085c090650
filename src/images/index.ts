export type { ImageFile } from './check-image.js';
export { loadImageLibrary } from './decode.js';
export { type DecodeTurn, ImageReader, inspectImages } from './image-reader.js';
export { gridSize, gridTokens } from './pixels.js';
export type { SizeRule } from './size-rules.js';
