export { checkImages, type ImageFile } from './check.js';
