export { type Filled, fillParts, type PlacedImage } from './fill.js';
export { FORMATS } from './formats/index.js';
export { LABELS } from './labels.js';
export { readDecisionMetadata } from './metadata.js';
export { Profile } from './profile.js';
export { readTemperatures } from './temperatures.js';
export { concatenate, Tokenizer } from './tokenizer.js';
export type * from './types.js';
export { ProfileError } from './types.js';
