export type { ChunkIds } from './chunks.js';
export * from './ingest.js';
export type { LineModels } from './models.js';
