import { closeSync, fstatSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { StoreError } from '../../../base/index.js';
import { RESTORE_BACKUP } from '../../data-folder/data-folder.js';

/** Offsets in each of the two meta pages at the start of an LMDB 1.0 file, on little-endian machines. */
const MAGIC_AT = 24;
const VERSION_AT = 28;
const PAGE_SIZE_AT = 48;
const HEADER_BYTES = 52;
const MAGIC = 0xbeefc0de;
const VERSION = 2;

/** Throws StoreError if something else than a file is where LMDB maps its lock file: lmdb would crash the process. */
export function requireLockFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile())
    throw new StoreError(`${path} is not a file. Move it; the next start creates the file.`);
}

/** Throws StoreError if a file exists and is not an LMDB file, on which lmdb would abort the process. */
export function checkHeaders(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return;
  const pageSize = checkHeader(file, 0);
  checkHeader(file, pageSize);
}

/** Returns the page size in a meta page. */
function checkHeader(file: string, at: number): number {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, at);
  } finally {
    closeSync(descriptor);
  }
  const known = header.readUInt32LE(MAGIC_AT) === MAGIC && header.readUInt16LE(VERSION_AT) === VERSION;
  if (!known) throw damaged(file, `it has no LMDB header at byte ${at}`);
  return header.readUInt32LE(PAGE_SIZE_AT);
}

/**
 * Extends a file that ends before its last page with zeros, then calls `read`; if that throws, cuts the file again. Call
 * it inside a transaction, so that no other process extends the file meanwhile.
 *
 * A file is short if it was truncated, or if a transaction allocated its last pages and freed them again: LMDB never
 * writes those. Reading a missing page would kill the process; LMDB recognizes a page of zeros as invalid.
 */
export function fillUp<Result>(file: string, pageSize: number, pages: number, read: () => Result): Result {
  const { size } = statSync(file);
  const length = pages * pageSize;
  if (size >= length) return read();
  // A page that was cut in two must not be read either.
  truncateSync(file, size - (size % pageSize));
  truncateSync(file, length);
  try {
    return read();
  } catch {
    truncateSync(file, size - (size % pageSize));
    throw damaged(file, `it has ${size} of ${length} bytes`);
  }
}

/** Bytes by which a data file grows at least, so that few commits extend it. */
const GROWTH_BYTES = 256 << 10;
const ZEROS = Buffer.alloc(GROWTH_BYTES);

/**
 * Allocates space for `pagesNeeded` pages after the last used page of a data file, so that a full disk fails here with the
 * file system's error. It must not fail inside LMDB's commit: lmdb 3.5.6 formats that error with `sprintf` into a buffer
 * of 100 bytes that is too small for it, which corrupts the heap (2 of 40 processes on a full disk were aborted).
 *
 * Call it inside a write transaction: no process then uses or writes pages after the last one. The first page is always
 * written, which also finds a disk that refuses to overwrite allocated space.
 */
export function allocate(descriptor: number, pageSize: number, pagesUsed: number, pagesNeeded: number): void {
  const end = pagesUsed * pageSize;
  writeZeros(descriptor, end, pageSize);
  const { size } = fstatSync(descriptor);
  const missing = end + pagesNeeded * pageSize - size;
  if (missing > 0) writeZeros(descriptor, size, Math.max(missing, GROWTH_BYTES));
}

function writeZeros(descriptor: number, start: number, length: number): void {
  for (let written = 0; written < length; ) {
    written += writeSync(descriptor, ZEROS, 0, Math.min(ZEROS.length, length - written), start + written);
  }
}

/** The error for a file that LMDB cannot read, or would lose data of. */
export const damaged = (file: string, how: string): StoreError =>
  new StoreError(`${file} is damaged: ${how}. ${RESTORE_BACKUP}`);
