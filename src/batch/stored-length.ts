/** The size of LMDB's pages on most machines. */
const PAGE_BYTES = 4_096;
/** What a value takes besides its own bytes, about: its key, its place in a page. */
const ENTRY_BYTES = 64;

/** About what a value takes in the data file, in bytes. One larger than half a page has pages of its own. */
export const entryBytes = (length: number): number =>
  ENTRY_BYTES + (length <= PAGE_BYTES / 2 ? length : Math.ceil(length / PAGE_BYTES) * PAGE_BYTES);
