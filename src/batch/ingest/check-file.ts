import { LIMITS } from '../../api/index.js';
import type { CatalogBuild } from '../../engine/index.js';
import { ImageReader } from '../../images/index.js';
import { checkLine, LineError, type LineModels } from './check-line.js';
import { cutFile, Refusal } from './cut-file.js';
import { type FileLine, FileTurns, splitLines } from './lines.js';

/** One entry of `errors` (contract 2.9). */
export interface LineFault {
  readonly line: number;
  readonly type: string;
  readonly error: string;
}

/**
 * Checks a whole file, decompressed. All lines are looked at, so that a caller learns of every mistake at once.
 *
 * Rejects with Refusal `invalid_jsonl`, `empty_batch`, `too_many_lines`, `invalid_batch`
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
  throw new Refusal('invalid_batch', `${invalid} of ${lines} lines are not valid; nothing was queued.`, {
    errors: faults,
    invalid_lines: invalid,
  });
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

/** Why a file would not be queued, whatever the server. */
export interface LinesRefusal {
  readonly type: string;
  readonly message: string;
  readonly lines: readonly LineFault[];
}

/** Any name is taken for a model, one that reads images: only the server knows its own. */
const ANY_MODEL = {
  find: (name: string | null) => ({ id: name, model: { id: name, reads_images: true } }) as CatalogBuild,
};

/** Checks a batch file, not compressed, where there is no server; null where nothing is wrong. */
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
