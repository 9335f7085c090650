// The modules of this room that run on threads of their own; the server owns their pools.

/** Reads batch files. */
export const INGEST_THREAD = new URL('./ingest/thread.js', import.meta.url);
/** Reads stored batches. */
export const READING_THREAD = new URL('./reading/thread.js', import.meta.url);
