import { readSync } from 'node:fs';

/** One line of a JSON Lines file. */
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

const CHUNK_BYTES = 1 << 20;

/**
 * The lines of an open file that end with a line feed, without it, read piece by piece. Throws RangeError for a line of
 * more than `bytesMax` bytes.
 */
export function* wholeLines(descriptor: number, bytesMax: number): Generator<Buffer> {
  let pieces: Buffer[] = [];
  let held = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const size = readSync(descriptor, chunk);
    if (size === 0) return;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0 && end < size; end = chunk.indexOf(LINE_FEED, start)) {
      if (held + end - start > bytesMax) throw new RangeError(`a line is longer than ${bytesMax} bytes`);
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]);
      [pieces, held, start] = [[], 0, end + 1];
    }
    pieces.push(chunk.subarray(start, size));
    held += size - start;
    if (held > bytesMax) throw new RangeError(`a line is longer than ${bytesMax} bytes`);
  }
}
