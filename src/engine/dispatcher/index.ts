export * from './dispatcher.js';
