import { entryFile } from '../../base/index.js';

/** The module that fits on a thread of its own. The server owns the thread. */
export const FIT_THREAD = entryFile('tasks/fits/fit-thread');
