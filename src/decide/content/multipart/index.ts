export { type Multipart, readMultipart } from './read-multipart.js';
