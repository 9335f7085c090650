export * from './errors.js';
export * from './limits.js';
export * from './routes.js';
export * from './schemas.js';
