import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OperatorError } from '../base/index.js';
import { notWritten, requireWritable, targetOf } from './whole-output.js';

/** The files of a command. */
interface CommandFiles {
  /** Files that it reads, by what an error calls them. */
  readonly inputs: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Files that it writes, by the option. */
  readonly outputs: Readonly<Record<string, string | undefined>>;
}

/** A file of a command, and whether it is the same as another one. */
interface NamedFile {
  readonly name: string;
  readonly file: string;
  /** Equal for the same file; null if it is no regular file, so that nothing of it can be lost. */
  readonly identity: string | null;
}

/**
 * Checks all files of a command before it does anything: that no output would overwrite an input or another output, and
 * that each output can be written. Changes nothing. Throws OperatorError.
 */
export function checkFiles({ inputs, outputs }: CommandFiles): void {
  const earlier = Object.entries(inputs).flatMap(([name, files]) =>
    [files ?? []].flat().map((file) => named(name, file)),
  );
  for (const [name, file] of Object.entries(outputs)) {
    if (file === undefined) continue;
    const output = named(`--${name}`, file);
    const same = earlier.find(({ identity }) => identity !== null && identity === output.identity);
    if (same !== undefined)
      throw new OperatorError(
        `${name}: ${file} is also the file of ${same.name}, which would be overwritten. Name another file.`,
      );
    earlier.push(output);
    requirePlace(name, file);
  }
}

function requirePlace(name: string, file: string): void {
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  try {
    if (!isFolder(dirname(file))) throw new OperatorError(`${name}: the folder of ${file} does not exist.`);
    if (isFolder(file)) throw new OperatorError(`${name}: ${file} is a folder. Name a file.`);
    requireWritable(file);
  } catch (error) {
    throw error instanceof OperatorError ? error : notWritten(name, file, error);
  }
}

const named = (name: string, file: string): NamedFile => ({ name, file, identity: identityOf(file) });

/** By device and inode, so that links count as the file; by the path if it does not exist. */
function identityOf(file: string): string | null {
  try {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true });
    if (found !== undefined) return found.isFile() ? `${found.dev}:${found.ino}` : null;
    const target = targetOf(file);
    return join(realpathSync(dirname(resolve(target))), basename(target));
  } catch {
    // A file in a place that cannot be read: the command reports it when it opens it.
    return null;
  }
}
