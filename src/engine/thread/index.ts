export * from './thread.js';
