import { createHash, type Hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile, OperatorError, showBytes, syncFolder } from '../base/index.js';

/** In a models folder: files that are not complete. They are named by their SHA-256, so any later pull continues them. */
const DOWNLOADS = '.downloads';
const LOCK_PAUSE_MS = 200;
/** Bytes per read of a file that is hashed. */
const READ_BYTES = 4 << 20;

/** Where the part of a file with this SHA-256 is kept. */
export const partPath = (folder: string, sha256: string): string => join(folder, DOWNLOADS, `${sha256}.part`);

/** A file that is being written, locked against other processes. `size` and `hash` cover the bytes that it has. */
export class PartFile {
  size = 0;
  private hash: Hash = createHash('sha256');

  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly unlock: () => void,
  ) {}

  /**
   * Opens or creates a part and reads what it has; `onRead` receives the number of bytes of each read. While another
   * process has the part, calls `onWait` once and waits, until `isDone` holds: then resolves with null.
   */
  static async open(
    path: string,
    events: { onRead: (bytes: number) => void; onWait: () => void; isDone: () => boolean },
    signal: AbortSignal,
  ): Promise<PartFile | null> {
    const unlock = await takeLock(path, events, signal);
    if (unlock === null) return null;
    try {
      const handle = await open(path, 'r+');
      const part = new PartFile(path, handle, unlock);
      part.size = await hashFile(handle, part.hash, events.onRead, signal);
      return part;
    } catch (error) {
      unlock();
      throw signal.aborted ? signal.reason : diskError(path, error);
    }
  }

  /** Appends bytes. Rejects with OperatorError, such as on a full disk; what was written before stays. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done, this.size + done);
        done += bytesWritten;
      }
    } catch (error) {
      throw diskError(this.path, error);
    }
    this.hash.update(bytes);
    this.size += bytes.length;
  }

  /** Deletes what it has. */
  async restart(): Promise<void> {
    await this.handle.truncate(0).catch((error) => {
      throw diskError(this.path, error);
    });
    this.hash = createHash('sha256');
    this.size = 0;
  }

  /** SHA-256 of its bytes, in hexadecimal digits. */
  get sha256(): string {
    return this.hash.copy().digest('hex');
  }

  /** Flushes it to the disk and gives it its final name. */
  async finish(target: string): Promise<void> {
    try {
      await this.handle.sync();
      mkdirSync(dirname(target), { recursive: true });
      renameSync(this.path, target);
      syncFolder(dirname(target));
    } catch (error) {
      throw diskError(target, error);
    }
  }

  /** Releases it; an empty one is removed. */
  async close(): Promise<void> {
    await this.handle.close();
    if (this.size === 0) rmSync(this.path, { force: true });
    this.unlock();
  }
}

async function takeLock(
  path: string,
  { onWait, isDone }: { onWait: () => void; isDone: () => boolean },
  signal: AbortSignal,
): Promise<(() => void) | null> {
  for (let waits = 0; ; waits += 1) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      closeSync(openSync(path, 'a'));
    } catch (error) {
      throw diskError(path, error);
    }
    const unlock = lockPart(path);
    // It has just been finished or removed.
    if (unlock === undefined) continue;
    // The process that held the lock may have finished the file, and this one then made a new part.
    if (isDone()) {
      if (unlock !== null) rmSync(path, { force: true });
      unlock?.();
      return null;
    }
    if (unlock !== null) return unlock;
    if (waits === 0) onWait();
    await sleep(LOCK_PAUSE_MS, undefined, { signal });
  }
}

/** Null if another process has the lock, undefined if the part no longer exists. */
function lockPart(path: string): (() => void) | null | undefined {
  try {
    return lockFile(path, 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** SHA-256 of a file, in hexadecimal digits; `onRead` receives the number of bytes of each read. */
export async function sha256Of(
  path: string,
  onRead: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(path, 'r');
  try {
    await hashFile(handle, hash, onRead, signal);
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** Adds the contents of a file to a hash, and resolves with their size. */
async function hashFile(
  handle: FileHandle,
  hash: Hash,
  onRead: (bytes: number) => void,
  signal: AbortSignal,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let size = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
    if (bytesRead === 0) return size;
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
    onRead(bytesRead);
  }
}

/** Left free on the disk: the manifest and other programs need room too. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** Throws OperatorError if a disk has no room for `bytes` more. */
export function requireSpace(folder: string, bytes: number, free: (folder: string) => number): void {
  const available = free(folder);
  if (bytes === 0 || bytes + SPARE_BYTES <= available) return;
  throw new OperatorError(
    `${showBytes(bytes)} are needed in ${folder}, and its disk has ${showBytes(available)} free, of which ${showBytes(SPARE_BYTES)} are kept. Free ${showBytes(bytes + SPARE_BYTES - available)}, or set models (DECIDER_MODELS) to a folder on another disk.`,
  );
}

const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Names the file and the remedy. */
function diskError(path: string, error: unknown): Error {
  if (error instanceof OperatorError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (FULL.includes(code)) {
    return new OperatorError(
      `${path}: the disk is full or the file too large for it (${code}). Free space; the same command continues where this one stopped.`,
    );
  }
  return new OperatorError(
    `${path} cannot be written: ${message}. The models folder (models, DECIDER_MODELS) must be writable for this command.`,
  );
}
