// The thread that commits what the running server writes. A commit waits for the disk, and the main thread must not.
// lmdb's own asynchronous writes were rejected: on Node 20 a callback of `transaction` was never called, and a failed
// commit is also reported as an unhandled rejection.
import { workerData } from 'node:worker_threads';
import { addAuditEntry } from './audit-log.js';
import { allocateFor, openEnvironment } from './environment.js';
import { Table } from './table.js';
import type { TableName } from './tables.js';
import type { RawWrite, WriterTask } from './writes.js';

let scratch = Buffer.alloc(0);

const environment = openEnvironment(workerData as string);
const { root, databases, lock } = environment;

/** Commits all writes in one transaction. They are on the disk when it returns. */
export function write({ writes, entries }: WriterTask): void {
  // A process that was killed leaves its read transaction, whose pages LMDB would never reuse: the data file would grow.
  root.readerCheck();
  lock.hold(() =>
    root.transactionSync(() => {
      apply(writes);
      for (const entry of entries) addAuditEntry(new Table('audit', databases.audit), entry);
    }),
  );
}

function apply(writes: readonly RawWrite[]): void {
  allocateFor(
    environment,
    writes.map(({ value }) => value?.length ?? 0),
  );
  for (const { table, key, end, value } of writes) {
    if (value !== null) databases[table].putSync(asBuffer(key), asBuffer(value));
    else if (end === undefined) databases[table].removeSync(asBuffer(key));
    else removeRange(table, asBuffer(key), asBuffer(end));
  }
}

function removeRange(table: TableName, start: Buffer, end: Buffer): void {
  // Keys are collected first: removing the key under a cursor moves the cursor.
  for (const key of [...databases[table].getKeys({ start, end })]) databases[table].removeSync(key);
}

/** A Buffer from another thread arrives as a Uint8Array. Shared memory is copied: lmdb would write wrong bytes. */
function asBuffer(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, length } = bytes;
  if (!(buffer instanceof SharedArrayBuffer)) return Buffer.from(buffer, byteOffset, length);
  // Reused, because `putSync` copies the value: without it a batch makes 30 MB of garbage.
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
  scratch.set(bytes);
  return scratch.subarray(0, length);
}

/** Returns when the environment is open. */
export function ready(): true {
  return true;
}
