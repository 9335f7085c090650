/** The module that reads batch files on a thread of its own. The server owns its pool. */
export const INGEST_THREAD = new URL('./ingest/thread.js', import.meta.url);
