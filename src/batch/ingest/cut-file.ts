import { isUtf8 } from 'node:buffer';
import { type ErrorType, LIMITS } from '../../api/index.js';
import { splitLines } from '../../base/index.js';

/** Why a whole file is refused. Between threads its three parts are passed, because errors lose their class. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly type: ErrorType,
    message: string,
    /** Fields of the response besides `error` and `type` (contract 2.9). */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** A cut ends after this many lines, or with the line that reaches this many bytes, whichever comes first. */
const CUT_LINES_MAX = 256;
const CUT_BYTES = 256 * 1024;

/** Consecutive lines of a file, which are checked together and sealed as one chunk. */
export interface Cut {
  /** From the first byte of the first line to the end of the last line, without its line feed. */
  readonly start: number;
  readonly end: number;
  /** The position of the first line, from 0, blank lines not counted. */
  readonly first: number;
}

/**
 * Divides a decompressed file between lines. A file of 32 MiB may have 16 million lines: reading stops at the limit, and
 * only the cuts are kept, not the lines.
 *
 * @throws Refusal `invalid_jsonl`, `empty_batch`, `too_many_lines`
 */
export function cutFile(file: Buffer): { readonly cuts: readonly Cut[]; readonly lines: number } {
  if (!isUtf8(file)) throw new Refusal('invalid_jsonl', 'The file is not UTF-8 text.');
  const cuts: Cut[] = [];
  let [start, end, first, lines] = [0, 0, 0, 0];
  const close = () => cuts.push({ start, end, first });
  for (const { bytes } of splitLines(file)) {
    if (lines === LIMITS.batchLines) throw tooManyLines();
    const at = bytes.byteOffset - file.byteOffset;
    if (lines - first === CUT_LINES_MAX || end - start >= CUT_BYTES) {
      close();
      [start, first] = [at, lines];
    } else if (lines === 0) start = at;
    end = at + bytes.length;
    lines += 1;
  }
  if (lines === 0) throw new Refusal('empty_batch', 'The file has no lines.');
  close();
  return { cuts, lines };
}

const tooManyLines = () =>
  new Refusal('too_many_lines', `The file has more lines than the limit of ${LIMITS.batchLines}.`, {
    max_lines: LIMITS.batchLines,
  });
