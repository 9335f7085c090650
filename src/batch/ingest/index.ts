export type { ChunkIds } from './chunks.js';
export * from './ingest.js';
