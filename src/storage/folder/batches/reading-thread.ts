/** The module that reads stored batches on a thread of its own. */
export const READING_THREAD = new URL('./reading/thread.js', import.meta.url);
