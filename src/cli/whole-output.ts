import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  createWriteStream,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OperatorError, unfinishedPath } from '../base/index.js';

/** An open output. */
interface Output {
  readonly descriptor: number;
  /** Puts what was written in the place of the old file, if it is not there yet. */
  complete(): void;
  /** Closes the descriptor, and removes what was not completed. */
  close(): void;
}

/** Writes the file of an option such as `--json`, whole or not at all. Throws OperatorError. */
export function writeReport(option: string, file: string, content: string | Uint8Array): void {
  try {
    const output = openOutput(file);
    try {
      writeFileSync(output.descriptor, content);
      output.complete();
    } finally {
      output.close();
    }
  } catch (error) {
    throw notWritten(option, file, error);
  }
}

/** The error of the system without its path, which may be that of an unfinished file. */
export const notWritten = (option: string, file: string, error: unknown): OperatorError =>
  new OperatorError(
    `${option}: ${file} cannot be written: ${(error as Error).message.replace(/, \w+( '.*)?$/s, '')}.`,
  );

/** Writes a file piece by piece, whole or not at all. Rejects with the error of the pieces or of the system. */
export async function streamReport(file: string, pieces: AsyncIterable<string>): Promise<void> {
  // To open a pipe without a reader must not block this thread.
  if (isWrittenDirectly(file) && standardDescriptor(file) === null)
    return pipeline(pieces, createWriteStream(file));
  const output = openOutput(file);
  // A signal may end the process before the last piece.
  process.once('exit', output.close);
  try {
    for await (const piece of pieces) writeFileSync(output.descriptor, piece);
    output.complete();
  } finally {
    process.off('exit', output.close);
    output.close();
  }
}

/** Throws the error of the system if a file cannot be written. Leaves an existing file as it is. */
export function requireWritable(file: string): void {
  const exists = existsSync(file);
  if (exists) accessSync(file, constants.W_OK);
  if (isWrittenDirectly(file)) return;
  try {
    openBeside(targetOf(file)).close();
  } catch (error) {
    if (!exists || !isRefused(error)) throw error;
  }
}

/** Opens an output for content that takes the place of what it has. Throws the error of the system. */
function openOutput(file: string): Output {
  const standard = standardDescriptor(file);
  // At its position: what the command prints there comes after it.
  if (standard !== null) return { descriptor: standard, complete() {}, close() {} };
  if (isWrittenDirectly(file)) return openDirectly(file);
  const exists = existsSync(file);
  const target = targetOf(file);
  try {
    return openBeside(target);
  } catch (error) {
    if (!exists || !isRefused(error)) throw error;
    return openDirectly(target);
  }
}

/** The file that a path leads to through links, also if it does not exist yet. */
export function targetOf(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? targetOf(resolve(realpathSync(dirname(file)), readlinkSync(file))) : file;
}

/** Names of descriptors. A file that the shell has opened for one must not be replaced by another file. */
const DESCRIPTOR = /^\/(dev\/(fd\/\d+|std(in|out|err))|proc\/.*)$/;

/** Whether a path is a device, a pipe or an open descriptor, whose content cannot be replaced at once. */
function isWrittenDirectly(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return !found.isFile() || DESCRIPTOR.test(resolve(file)) || standardDescriptor(file) !== null;
}

/** The descriptor of standard output or standard error, if that is this regular file. */
function standardDescriptor(file: string): number | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return null;
  const isOpenAs = (descriptor: number) => {
    try {
      const { dev, ino } = fstatSync(descriptor);
      return dev === found.dev && ino === found.ino;
    } catch {
      return false;
    }
  };
  return [1, 2].find(isOpenAs) ?? null;
}

function openDirectly(file: string): Output {
  const descriptor = openSync(file, 'w');
  return { descriptor, complete() {}, close: () => closeSync(descriptor) };
}

/** A folder that takes no new file, or a file that cannot be replaced, such as one that is mounted by itself. */
const REFUSED: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY']);
const isRefused = (error: unknown) => REFUSED.has((error as NodeJS.ErrnoException).code);

/** A file beside the target, which takes its place when it is complete. */
function openBeside(target: string): Output {
  const part = unfinishedPath(target);
  const descriptor = openSync(part, 'wx', 0o666);
  let closed = false;
  return {
    descriptor,
    complete() {
      keepOwner(descriptor, target);
      // Some file systems report a full disk only here.
      fsyncSync(descriptor);
      try {
        renameSync(part, target);
      } catch (error) {
        if (!isRefused(error)) throw error;
        copyFileSync(part, target);
      }
    },
    close() {
      if (closed) return;
      closed = true;
      closeSync(descriptor);
      rmSync(part, { force: true });
    },
  };
}

/** Gives an open file the mode of the file that it replaces, and its owner if the system allows that. */
function keepOwner(descriptor: number, target: string): void {
  const before = statSync(target, { throwIfNoEntry: false });
  if (before === undefined) return;
  try {
    fchownSync(descriptor, before.uid, before.gid);
  } catch {
    // The file was writable for this process, so its owner has agreed to the change.
  }
  fchmodSync(descriptor, before.mode & 0o777);
}
