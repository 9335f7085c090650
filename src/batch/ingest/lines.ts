import { nextTurn } from '../../base/index.js';

/** One line of a batch file. */
export interface FileLine {
  /** Counted from 1, blank lines included (contract 4.6 rule 1). */
  readonly number: number;
  /** A view of the file, without the line's end. */
  readonly bytes: Buffer;
}

const LINE_FEED = 10;

/** The lines of a file that are not blank. A line ends with a line feed or with the file. */
export function* splitLines(file: Buffer): Generator<FileLine> {
  let number = 0;
  for (let start = 0; start < file.length; ) {
    if (file[start] === LINE_FEED) {
      number += 1;
      start += 1;
      continue;
    }
    const end = file.indexOf(LINE_FEED, start);
    const bytes = file.subarray(start, end < 0 ? file.length : end);
    number += 1;
    if (!isBlank(bytes)) yield { number, bytes };
    start += bytes.length + 1;
  }
}

/** JSON's white space only, where a carriage return of a line's end is among it. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}

/** What is read of a file in one turn, at least: 2 ms of usual lines. */
const TURN_BYTES = 256 * 1024;

/** Lets a thread that reads several files at one time read a part of each in turn, so that a short one is soon done. */
export class FileTurns {
  private bytes = 0;

  /** Call it when so many bytes were read, and await what it returns: null where the turn goes on. */
  after(bytes: number): Promise<void> | null {
    this.bytes += bytes;
    if (this.bytes < TURN_BYTES) return null;
    this.bytes = 0;
    return nextTurn();
  }
}
