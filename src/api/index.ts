export * from './batch-responses.js';
export * from './content.js';
export * from './errors.js';
export * from './limits.js';
export * from './openapi.js';
export * from './responses.js';
export * from './routes.js';
export * from './schemas.js';
