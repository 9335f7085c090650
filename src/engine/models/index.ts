export * from './catalog.js';
export * from './checksum.js';
export * from './manifest.js';
export * from './model.js';
export * from './projector.js';
