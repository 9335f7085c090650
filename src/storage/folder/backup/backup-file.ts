// A backup file: a compacted copy of the data file, then a trailer of fixed length: facts about the backup, and the
// SHA-256 of everything before it.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { isCount, isObjectOf, isOneOf, isString, StoreError, type ValueOf } from '../../../base/index.js';

const isFacts = isObjectOf({
  /** Distinguishes a backup from other files. */
  kind: isOneOf('decider backup'),
  /** The version of the tables' format. */
  format: isCount,
  /** When it was made, in milliseconds since 1970. */
  created: isCount,
  /** The version of the program that made it. */
  version: isString,
  /** The length of the data file. */
  bytes: isCount,
});

/** What a backup file says about itself. */
export type BackupFacts = ValueOf<typeof isFacts>;

/** The length of the facts: JSON, filled up with spaces. */
const FACTS_BYTES = 512;
const DIGEST_BYTES = 32;
const TRAILER_BYTES = FACTS_BYTES + DIGEST_BYTES;
const PIECE_BYTES = 1 << 20;

/** Turns a copy of a data file into a backup file, which is on the disk when this returns. Throws Error. */
export function appendTrailer(
  file: string,
  facts: Pick<BackupFacts, 'format' | 'created' | 'version'>,
): BackupFacts {
  return withFile(file, 'r+', (descriptor) => {
    const { size: bytes } = fstatSync(descriptor);
    const all: BackupFacts = { kind: 'decider backup', ...facts, bytes };
    const text = Buffer.from(JSON.stringify(all).padEnd(FACTS_BYTES));
    const hash = createHash('sha256');
    for (const piece of pieces(descriptor, bytes)) hash.update(piece);
    writeAll(descriptor, Buffer.concat([text, hash.update(text).digest()]), bytes);
    fsyncSync(descriptor);
    return all;
  });
}

/** Reads what a backup file says about itself. Does not verify the content. Throws StoreError. */
export function readFacts(file: string): BackupFacts {
  return withFile(file, 'r', (descriptor) => factsIn(descriptor, file));
}

/** Writes the data file of a backup to `target`, which must not exist. Throws StoreError if the backup is damaged. */
export function unpack(file: string, target: string): void {
  withFile(file, 'r', (descriptor) => {
    const { bytes } = factsIn(descriptor, file);
    const hash = createHash('sha256');
    withFile(target, 'wx', (into) => {
      let at = 0;
      for (const piece of pieces(descriptor, bytes)) {
        hash.update(piece);
        writeAll(into, piece, at);
        at += piece.length;
      }
    });
    const trailer = readAt(descriptor, bytes, TRAILER_BYTES);
    hash.update(trailer.subarray(0, FACTS_BYTES));
    if (!hash.digest().equals(trailer.subarray(FACTS_BYTES))) {
      throw new StoreError(
        `${file} is damaged: its content does not have the recorded SHA-256. Use another backup.`,
      );
    }
  });
}

function factsIn(descriptor: number, file: string): BackupFacts {
  const { size } = fstatSync(descriptor);
  const facts = parse(readAt(descriptor, Math.max(0, size - TRAILER_BYTES), FACTS_BYTES));
  if (facts?.bytes === size - TRAILER_BYTES) return facts;
  throw new StoreError(`${file} is not a backup of this program, or is not complete.`);
}

function parse(bytes: Buffer): BackupFacts | null {
  try {
    const facts: unknown = JSON.parse(bytes.toString());
    return isFacts(facts) ? facts : null;
  } catch {
    return null;
  }
}

/** The first `bytes` bytes of a file. A piece is valid until the next one is read. */
function* pieces(descriptor: number, bytes: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; at < bytes; ) {
    const read = readSync(descriptor, buffer, 0, Math.min(PIECE_BYTES, bytes - at), at);
    if (read === 0) throw new Error('the file became shorter while it was read');
    at += read;
    yield buffer.subarray(0, read);
  }
}

/** Up to `bytes` bytes, fewer at the end of the file. */
function readAt(descriptor: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, at));
}

function writeAll(descriptor: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
  }
}

function withFile<Result>(file: string, flags: string, use: (descriptor: number) => Result): Result {
  const descriptor = openSync(file, flags, 0o600);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
