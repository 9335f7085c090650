export type * from './messages.js';

/** Where an engine thread starts. */
export const WORKER_FILE = new URL('./worker.js', import.meta.url);
