export * from './catalog.js';
export * from './checksum.js';
export * from './file.js';
export * from './hold.js';
export * from './manifest.js';
export * from './model.js';
export * from './projector.js';
