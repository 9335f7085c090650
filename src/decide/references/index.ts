export { findImageUses } from './find-uses.js';
export { type Found, ReferenceSearch } from './search.js';
export { shownParts } from './shown.js';
