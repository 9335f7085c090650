import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { lockFile, OperatorError, wholeLines } from '../base/index.js';
import { type ArchiveHeader, requireSameRun } from './archive-header.js';
import type { VariantName } from './variants.js';

/** What a target answered, or why it did not. */
export type Outcome =
  | {
      /** Parsed JSON of a decide response. */
      readonly response: unknown;
      /** By question; only known of the engine in process. */
      readonly temperatures?: Readonly<Record<string, number>>;
    }
  | { readonly error: OutcomeError };

export interface OutcomeError {
  /** Status of the HTTP response; null: there was none. */
  readonly status: number | null;
  /**
   * The `type` of the error response; `unreachable` if there was no connection, `network` if there was no response,
   * `bad_answer` for one that is not understood.
   */
  readonly type: string;
  readonly message: string;
  /** Whether the same request may succeed later: a resumed run asks it again. */
  readonly temporary: boolean;
}

/** A line of the archive after the header. */
export type ArchivedAnswer = Outcome & {
  readonly case: string;
  readonly variant: VariantName;
  /** Requests that were refused with 429 or 503 and sent again after `Retry-After`. */
  readonly repeated: number;
};

/** Answers between two calls of `fsync`. A killed process loses none; a power failure at most these. */
const SYNC_EVERY = 64;
/** Holds callers' data: readable by its owner only. */
const MODE = 0o600;
const FORMAT = 'decider archive 1';
/** Of the first line. */
const BEGINNING = Buffer.from(`{"format":"${FORMAT}",`);

/** Locks a file, as `lockFile` does; tests pass their own. */
type Lock = (file: string, tries: number) => (() => void) | null;

/** Two runs on one archive would ask every case twice. Throws OperatorError if another process has it. */
function lock(file: string): () => void {
  const unlock = lockFile(file, 1);
  if (unlock === null) throw inUse(file);
  return unlock;
}

const inUse = (file: string) => new OperatorError(`The archive ${file} is in use by another process.`);

/** Locks a new file. Throws OperatorError: then it is closed, and removed if no other process has it. */
function lockNew(file: string, descriptor: number, take: Lock): () => void {
  try {
    const unlock = take(file, 1);
    if (unlock !== null) return unlock;
  } catch (error) {
    closeSync(descriptor);
    rmSync(file, { force: true });
    throw error;
  }
  closeSync(descriptor);
  throw inUse(file);
}

/**
 * Removes a file that was killed within its first line: it is empty, or begins as that line does. Throws OperatorError for
 * any other file, because it is not an archive.
 */
function removeTorn(file: string): void {
  const isTorn = beginsAs(BEGINNING, file) && readLines(file).next().done === true;
  if (!isTorn) throw new OperatorError(`${file} is not an archive. Name another --archive.`);
  rmSync(file, { force: true });
}

/** Whether a file agrees with the beginning, over the shorter of the two. */
function beginsAs(beginning: Buffer, file: string): boolean {
  const found = Buffer.alloc(beginning.length);
  const descriptor = openSync(file, constants.O_RDONLY);
  try {
    const size = readSync(descriptor, found);
    return found.subarray(0, size).equals(beginning.subarray(0, size));
  } finally {
    closeSync(descriptor);
  }
}

/** Throws OperatorError if the file exists: before a model is loaded in vain. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw exists(file);
}

const exists = (file: string) =>
  new OperatorError(
    `The archive ${file} exists. Continue it with --resume, name another one with --archive, or report on it with --results.`,
  );

/** Appends the answers of a run to its archive. */
export class Archive {
  private unsynced = 0;
  private answers: number;
  /** Why a line could not be written: none is added after it. */
  private failure: OperatorError | null = null;

  private constructor(
    private readonly file: string,
    private readonly descriptor: number,
    private readonly unlock: () => void,
    /** What the file held when it was opened. */
    readonly earlier: readonly ArchivedAnswer[],
    /** Bytes of the whole lines. */
    private bytes: number,
  ) {
    this.answers = earlier.length;
  }

  /** Creates an archive. Throws OperatorError if the file exists or cannot be locked. */
  static create(file: string, header: ArchiveHeader, take: Lock = lockFile): Archive {
    let descriptor: number;
    try {
      descriptor = openSync(
        file,
        constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND,
        MODE,
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists(file);
      throw new OperatorError(`archive: ${(error as Error).message}.`);
    }
    const archive = new Archive(file, descriptor, lockNew(file, descriptor, take), [], 0);
    try {
      archive.write(JSON.stringify(header));
    } catch (error) {
      archive.close();
      throw error;
    }
    return archive;
  }

  /**
   * Opens an archive to continue it; creates it if it does not exist. A last line that is not whole, as a killed process
   * leaves it, is removed. Throws OperatorError if it belongs to other cases or another target.
   */
  static resume(file: string, header: ArchiveHeader, truncate = ftruncateSync): Archive {
    if (!existsSync(file)) return Archive.create(file, header);
    const unlock = lock(file);
    try {
      const found = readArchive(file);
      if (found !== null) {
        requireSameRun(file, found.header, header);
        const descriptor = openSync(file, constants.O_RDWR | constants.O_APPEND, MODE);
        try {
          truncate(descriptor, found.bytes);
        } catch (error) {
          closeSync(descriptor);
          throw error;
        }
        return new Archive(file, descriptor, unlock, found.answers, found.bytes);
      }
      removeTorn(file);
    } catch (error) {
      unlock();
      throw error;
    }
    unlock();
    return Archive.create(file, header);
  }

  /** Throws OperatorError if the file cannot be written. It then holds the answers before this one, and takes no more. */
  add(answer: ArchivedAnswer): void {
    this.write(JSON.stringify(answer));
    this.answers += 1;
  }

  /** An archive without answers is removed: it would only stand in the way of the next run. */
  close(): void {
    try {
      if (this.answers === 0) rmSync(this.file);
      if (this.failure === null) this.orFail(() => fsyncSync(this.descriptor));
    } finally {
      closeSync(this.descriptor);
      this.unlock();
    }
  }

  private write(json: string): void {
    if (this.failure !== null) throw this.failure;
    const bytes = Buffer.from(`${json}\n`);
    this.orFail(() => {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.descriptor, bytes, at);
      this.unsynced += 1;
      if (this.unsynced < SYNC_EVERY) return;
      fsyncSync(this.descriptor);
      this.unsynced = 0;
    });
    this.bytes += bytes.length;
  }

  /** A line that was written in part is removed; if that fails too, `resume` removes it. */
  private orFail(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.failure = new OperatorError(
        `The archive ${this.file} cannot be written: ${(error as Error).message}. Remove the cause, then repeat the command with --resume.`,
      );
      try {
        ftruncateSync(this.descriptor, this.bytes);
      } catch {
        // The first failure is reported.
      }
      throw this.failure;
    }
  }
}

/** What an archive holds. */
interface ArchiveContent {
  readonly header: ArchiveHeader;
  readonly answers: readonly ArchivedAnswer[];
  /** Bytes of the whole lines. */
  readonly bytes: number;
}

/** Bound of a line. A response of the largest size, 4 MiB, is written in less: JSON grows at most fivefold. */
const LINE_BYTES_MAX = 32 << 20;

/**
 * Reads an archive of any size line by line. Null if the file does not exist or is not an archive. Throws OperatorError
 * for a damaged one.
 */
export function readArchive(file: string): ArchiveContent | null {
  let header: Record<string, unknown> | null = null;
  const answers: ArchivedAnswer[] = [];
  let number = 0;
  let size = 0;
  for (const line of readLines(file)) {
    number += 1;
    size += line.length + 1;
    const content = parse(line);
    if (header === null) {
      if (content?.format !== FORMAT) return null;
      header = content;
    } else if (typeof content?.case === 'string') {
      answers.push(content as unknown as ArchivedAnswer);
    } else {
      throw new OperatorError(`${file}:${number}: not a line of an archive.`);
    }
  }
  return header && { header: header as unknown as ArchiveHeader, answers, bytes: size };
}

/** The lines of a file that end with a line feed; none if the file does not exist. Throws OperatorError. */
function* readLines(file: string): Generator<Buffer> {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new OperatorError(`archive: ${(error as Error).message}.`);
  }
  try {
    yield* wholeLines(descriptor, LINE_BYTES_MAX);
  } catch (error) {
    throw error instanceof RangeError ? new OperatorError(`${file}: ${error.message}.`) : error;
  } finally {
    closeSync(descriptor);
  }
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
