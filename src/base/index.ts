export * from './clock.js';
export * from './end-all.js';
export * from './ids.js';
export * from './log.js';
export * from './metrics.js';
export * from './settings.js';
export * from './thread-pool.js';
export * from './version.js';
