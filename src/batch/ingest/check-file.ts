import { LIMITS } from '../../api/index.js';
import { type FileLine, splitLines } from '../../base/index.js';
import { ANY_MODEL } from '../../decide/index.js';
import { ImageReader } from '../../images/index.js';
import { checkLine, LineError, type LineModels } from './check-line.js';
import { cutFile, Refusal } from './cut-file.js';
import { FileTurns } from './file-turns.js';

/** One entry of `errors` (contract 2.9). */
export interface LineFault {
  readonly line: number;
  readonly type: string;
  readonly error: string;
}

/**
 * Checks every line of a decompressed file, so that the caller learns of all mistakes at once.
 *
 * @throws Refusal `invalid_jsonl`, `empty_batch`, `too_many_lines`, `invalid_batch`
 */
export async function checkBatchFile(file: Buffer, models: LineModels): Promise<void> {
  const { lines } = cutFile(file);
  const faults: LineFault[] = [];
  const seen = new Map<string, number>();
  const reader = new ImageReader();
  const turns = new FileTurns();
  let invalid = 0;
  for (const line of splitLines(file)) {
    const turn = turns.after(line.bytes.length);
    if (turn !== null) await turn;
    try {
      const { checkImages } = checkLine(line.bytes, models, claimFor(line, seen));
      if (checkImages !== null) await checkImages(reader);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      invalid += 1;
      if (faults.length >= LIMITS.batchErrors) continue;
      faults.push({ line: line.number, type: error.type, error: error.message });
    }
  }
  if (invalid === 0) return;
  throw new Refusal('invalid_batch', `${invalid} of ${lines} lines are invalid; nothing was queued.`, {
    errors: faults,
    invalid_lines: invalid,
  });
}

/** Records the ids of lines. An invalid line has its id too. */
function claimFor({ number }: FileLine, seen: Map<string, number>): (customId: string) => void {
  return (customId) => {
    const first = seen.get(customId);
    if (first !== undefined) {
      throw new LineError('duplicate_custom_id', `\`custom_id\` was already used in line ${first}.`);
    }
    seen.set(customId, number);
  };
}

/** Why any server would refuse a file. */
export interface LinesRefusal {
  readonly type: string;
  readonly message: string;
  readonly lines: readonly LineFault[];
}

/** Checks an uncompressed batch file without a server. Null: no mistake was found. */
export async function checkLines(file: Buffer): Promise<LinesRefusal | null> {
  try {
    await checkBatchFile(file, { catalog: ANY_MODEL, allowed: null });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { type, message, details } = error;
    return { type, message, lines: (details.errors as LineFault[] | undefined) ?? [] };
  }
}
