import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { StoreError } from './data-folder.js';

/** Where LMDB 1.0 has these in each of the two pages a file begins with, on machines of the low byte first. */
const MAGIC_AT = 24;
const VERSION_AT = 28;
const PAGE_SIZE_AT = 48;
const HEADER_BYTES = 52;
const MAGIC = 0xbeefc0de;
const VERSION = 2;

/** Throws StoreError where a file is there and is not LMDB's, on which lmdb ends the process. */
export function checkHeaders(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return;
  const pageSize = checkHeader(file, 0);
  checkHeader(file, pageSize);
}

/** The page size that a header tells. */
function checkHeader(file: string, at: number): number {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, at);
  } finally {
    closeSync(descriptor);
  }
  const known = header.readUInt32LE(MAGIC_AT) === MAGIC && header.readUInt16LE(VERSION_AT) === VERSION;
  if (!known) throw damaged(file, `at ${at} is no header of LMDB`);
  return header.readUInt32LE(PAGE_SIZE_AT);
}

/**
 * Fills a file that ends before its last page up to there; runs `read`, and undoes that where it throws. Inside a
 * transaction, so that nobody else makes the file longer meanwhile.
 *
 * A short file was cut off; or a transaction took its last pages and gave them back, which LMDB then never writes.
 * Reading a page that is missing would end the process; one of zeros LMDB tells from its own.
 */
export function fillUp<Result>(file: string, pageSize: number, pages: number, read: () => Result): Result {
  const { size } = statSync(file);
  const length = pages * pageSize;
  if (size >= length) return read();
  // The rest of a page that was cut in two is not to be read either.
  truncateSync(file, size - (size % pageSize));
  truncateSync(file, length);
  try {
    return read();
  } catch {
    truncateSync(file, size - (size % pageSize));
    throw damaged(file, `it has ${size} of ${length} bytes`);
  }
}

/** What LMDB could not read, or would lose. */
export const damaged = (file: string, how: string): StoreError =>
  new StoreError(`${file} is damaged: ${how}. Restore it from a copy.`);
