export * from './line-output.js';
export * from './log.js';
export * from './metrics.js';
export * from './recent-lines.js';
