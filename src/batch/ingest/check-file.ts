import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../api/index.js';
import { ImageReader } from '../../images/index.js';
import { type CheckedLine, checkLine, LineError, type LineModels } from './check-line.js';
import { type FileLine, readLines } from './lines.js';
import { Refusal } from './refusal.js';

/** A line of a file that is valid as a whole. */
export interface ValidLine extends Pick<CheckedLine, 'customId' | 'model' | 'tokens'> {
  readonly bytes: Buffer;
}

/** One entry of contract 2.9 `errors`. */
export interface LineFault {
  readonly line: number;
  readonly type: string;
  readonly error: string;
}

/**
 * Checks a whole file, decompressed. All lines are looked at, so that a caller learns of every mistake at once.
 *
 * @param keep is given the lines in their order, up to the first one that is not valid; they stand in the file's memory
 * @returns how many lines there are
 *
 * Rejects with Refusal `invalid_jsonl`, `empty_batch`, `too_many_lines`, `invalid_batch`
 */
export async function checkFile(
  file: Buffer,
  models: LineModels,
  keep: (line: ValidLine) => void,
): Promise<number> {
  if (!isUtf8(file)) throw new Refusal('invalid_jsonl', 'The file is not UTF-8 text.');
  const count = countLines(file);
  if (count === 0) throw new Refusal('empty_batch', 'The file has no lines.');
  const faults: LineFault[] = [];
  const seen = new Map<string, number>();
  const reader = new ImageReader();
  let invalid = 0;
  for (const line of readLines(file)) {
    try {
      const { customId, model, tokens, checkImages } = checkLine(line.bytes, models, claimFor(line, seen));
      if (checkImages !== null) await checkImages(reader);
      if (invalid === 0) keep({ customId, model, tokens, bytes: line.bytes });
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      invalid += 1;
      if (faults.length >= LIMITS.batchErrors) continue;
      faults.push({ line: line.number, type: error.type, error: error.message });
    }
  }
  if (invalid === 0) return count;
  throw new Refusal('invalid_batch', `${invalid} of ${count} lines are not valid; nothing was queued.`, {
    errors: faults,
    invalid_lines: invalid,
  });
}

/** Not more than may be queued. They are not kept: 32 MiB hold 16 million lines, which would take gigabytes. */
function countLines(file: Buffer): number {
  let count = 0;
  for (const _ of readLines(file)) {
    if (count === LIMITS.batchLines) {
      throw new Refusal('too_many_lines', `The file has more lines than the limit of ${LIMITS.batchLines}.`, {
        max_lines: LIMITS.batchLines,
      });
    }
    count += 1;
  }
  return count;
}

/** A line has its id also where it is wrong in another way. */
function claimFor({ number }: FileLine, seen: Map<string, number>): (customId: string) => void {
  return (customId) => {
    const first = seen.get(customId);
    if (first !== undefined) {
      throw new LineError('duplicate_custom_id', `\`custom_id\` is the same as in line ${first}.`);
    }
    seen.set(customId, number);
  };
}
