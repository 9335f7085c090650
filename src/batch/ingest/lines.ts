import { nextTurn } from '../../base/index.js';

/** One line of a batch file. */
export interface FileLine {
  /** From 1, counting blank lines (contract 4.6 rule 1). */
  readonly number: number;
  /** A view of the file, without the line feed. */
  readonly bytes: Buffer;
}

const LINE_FEED = 10;

/** The lines of a file, except blank ones. A line ends with a line feed or at the end of the file. */
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

/** Whether a line consists of JSON whitespace, such as the carriage return of CRLF. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}

/** Bytes of a file read in one turn, at least: 2 ms for typical lines. */
const TURN_BYTES = 256 * 1024;

/** Lets a thread with several files read a part of each in turn, so that a short file is not delayed by a long one. */
export class FileTurns {
  private bytes = 0;

  /** Call it after reading `bytes` bytes, and await the promise. Null: the turn continues. */
  after(bytes: number): Promise<void> | null {
    this.bytes += bytes;
    if (this.bytes < TURN_BYTES) return null;
    this.bytes = 0;
    return nextTurn();
  }
}
