export * from './apply.js';
export * from './transitions.js';
