import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Of the name of a file, in the name of what is to take its place: with it, a name has at most 255 bytes everywhere. */
const CHARACTERS_MAX = 40;

/**
 * A new path beside a file, for what is to take its place once it is complete. It is unique, because another process may
 * write the same file, and its name is short enough if that of the file is.
 */
export const unfinishedPath = (file: string): string =>
  join(
    dirname(file),
    `${basename(file).slice(0, CHARACTERS_MAX)}.${process.pid}-${randomBytes(4).toString('hex')}.part`,
  );
