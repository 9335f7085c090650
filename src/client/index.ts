export * from './batch-client.js';
