// The thread that commits what the running server writes. LMDB waits for the disk inside a commit, and the main
// thread must not; and lmdb's own asynchronous writes were tried and rejected: a callback of `transaction` was
// never called on Node 20, and a commit that fails is reported as an unhandled rejection besides.
import { workerData } from 'node:worker_threads';
import { openEnvironment } from './environment.js';
import type { TableName } from './tables.js';

/** One change of a table; without a value the key is removed. */
export interface RawWrite {
  readonly table: TableName;
  readonly key: Uint8Array;
  /** With it, and without a value, all keys from `key` to before this one are removed. */
  readonly end?: Uint8Array;
  readonly value: Uint8Array | null;
}

let scratch = Buffer.alloc(0);

const { root, databases } = openEnvironment(workerData as string);

/** All or nothing, on the disk when it returns. */
export function write(writes: readonly RawWrite[]): void {
  root.transactionSync(() => {
    for (const { table, key, end, value } of writes) {
      if (value !== null) databases[table].putSync(asBuffer(key), asBuffer(value));
      else if (end === undefined) databases[table].removeSync(asBuffer(key));
      else removeRange(table, asBuffer(key), asBuffer(end));
    }
  });
}

function removeRange(table: TableName, start: Buffer, end: Buffer): void {
  // All of them first: a cursor does not stand well on a key that is removed.
  for (const key of [...databases[table].getKeys({ start, end })]) databases[table].removeSync(key);
}

/** A Buffer that crossed threads is a plain Uint8Array. Of shared memory lmdb would write other bytes: it is copied. */
function asBuffer(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, length } = bytes;
  if (!(buffer instanceof SharedArrayBuffer)) return Buffer.from(buffer, byteOffset, length);
  // Always to the same place, for `putSync` has taken a value when it returns: 30 MB of garbage a batch otherwise.
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
  scratch.set(bytes);
  return scratch.subarray(0, length);
}

/** Answers when the environment is open. */
export function ready(): true {
  return true;
}
