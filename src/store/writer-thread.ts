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
  readonly value: Uint8Array | null;
}

const { root, databases } = openEnvironment(workerData as string);

/** All or nothing, on the disk when it returns. */
export function write(writes: readonly RawWrite[]): void {
  root.transactionSync(() => {
    for (const { table, key, value } of writes) {
      if (value === null) databases[table].removeSync(asBuffer(key));
      else databases[table].putSync(asBuffer(key), asBuffer(value));
    }
  });
}

/** A Buffer that crossed threads is a plain Uint8Array. Of shared memory lmdb would write other bytes: it is copied. */
const asBuffer = (bytes: Uint8Array) =>
  bytes.buffer instanceof SharedArrayBuffer
    ? Buffer.from(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Answers when the environment is open. */
export function ready(): true {
  return true;
}
