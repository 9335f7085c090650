export { checkImages, type ImageFile } from './check.js';
export { decodeImage, type Pixels } from './decode.js';
