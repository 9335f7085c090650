import type { Addon } from './addon-types.js';

/** Reports shared memory that this thread has allocated or received. */
export type CountMemory = (memory: SharedArrayBuffer) => void;

/**
 * Only a fraction of the bytes is reported to V8: one in this many. V8 collects garbage after about every 12 MB
 * reported, which takes the main thread 10 to 30 ms. In a burst of 24 requests with four images each, the values 1, 2
 * and 4 cost 19.4, 18.7 and 18.1 s of processor time and 285, 310 and 395 MiB.
 */
const REPORTED_DIVISOR = 2;

/**
 * Lets V8 collect shared memory that a thread no longer references. V8 counts no shared memory towards any heap, so nothing
 * triggers a collection: the pixels of 200 answered requests were a few kilobytes to the heaps, and took 1.4 GB.
 */
export function memoryCounter(addon: Addon): CountMemory {
  return (memory) => {
    addon.countMemory(memory, memory.byteLength / REPORTED_DIVISOR);
  };
}
