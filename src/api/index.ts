export * from './audit-actions.js';
export * from './content.js';
export * from './errors.js';
export * from './limits.js';
export * from './operator.js';
export * from './operator-errors.js';
export * from './operator-routes.js';
export * from './routes.js';
