/** Decrypts stored values of batches; the server owns its pool. */
export const OPENING_THREAD = new URL('./reading/thread.js', import.meta.url);
