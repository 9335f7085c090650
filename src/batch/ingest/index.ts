export { Blocks, freeBlock } from './blocks.js';
export { type CheckedChunk, type ChunkWork, checkChunks } from './check-chunks.js';
export type { LineFault } from './check-file.js';
export * from './check-lines.js';
export type { ChunkIds } from './chunks.js';
export * from './digest-file.js';
export * from './ingest.js';
