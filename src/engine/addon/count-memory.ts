import type { Addon } from './types.js';

/** Takes note of shared memory that this thread has made, or was sent. */
export type CountMemory = (memory: SharedArrayBuffer) => void;

/**
 * Of the bytes of shared memory, one in so many is told. V8 looks for garbage after every 12 MB or so that are, which
 * takes the main thread 10 to 30 ms. In a burst of 24 requests of four images, 1, 2 and 4 cost 19.4, 18.7 and 18.1 s of
 * processor time and 285, 310 and 395 MiB.
 */
const TOLD_SHARE = 2;

/**
 * Lets V8 find shared memory that a thread no longer needs. It counts none for any thread, so that nothing makes it look:
 * the pixels of 200 requests that were answered stood in the heaps as a few kilobytes, and took 1.4 GB.
 */
export function memoryCounter(addon: Addon): CountMemory {
  return (memory) => {
    addon.countMemory(memory, memory.byteLength / TOLD_SHARE);
  };
}
