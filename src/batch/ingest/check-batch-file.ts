import { LIMITS } from '../../api/index.js';
import { type FileLine, splitLines } from '../../base/index.js';
import { ANY_MODEL } from '../../decide/index.js';
import { type CheckedLine, checkLine, LineError, type LineNames } from './check-batch-line.js';
import { cutFile, Refusal } from './cut-file.js';
import { ANY_TASK } from './file-tasks.js';
import { FileTurns } from './file-turns.js';
import { ThreadTurns } from './thread-turns.js';

/** One entry of `errors` (contract 2.9). */
interface LineFault {
  readonly line: number;
  readonly type: string;
  readonly error: string;
}

/**
 * Checks every line of a decompressed file, so that the caller learns of all mistakes at once. Images are decoded until
 * `LIMITS.batchErrors` mistakes are found: later ones are found and counted only if they can be seen without decoding.
 *
 * @throws Refusal `invalid_jsonl`, `empty_batch`, `too_many_lines`, `invalid_batch`, `body_too_large`; TasksUnread
 */
export async function checkBatchFile(file: Buffer, names: LineNames, turns: FileTurns): Promise<void> {
  const { lines } = cutFile(file);
  const faults: LineFault[] = [];
  const seen = new Map<string, number>();
  let invalid = 0;
  for (const part of partsOf(file)) {
    const checked = await turns.cut(() => part.map((line) => checkOne(line, names, seen)));
    turns.requireClient();
    for (const { number, fault, checkImages } of checked) {
      const found = fault ?? (faults.length < LIMITS.batchErrors ? await faultOf(checkImages, turns) : null);
      if (found === null) continue;
      invalid += 1;
      if (faults.length < LIMITS.batchErrors) {
        faults.push({ line: number, type: found.type, error: found.message });
      }
    }
  }
  if (invalid === 0) return;
  throw new Refusal('invalid_batch', `${invalid} of ${lines} lines are invalid; nothing was queued.`, {
    errors: faults,
    invalid_lines: invalid,
  });
}

/** Bytes of the lines that are checked in one turn, at least: 2 ms for typical lines. */
const PART_BYTES = 256 * 1024;

/** The lines of a file, in groups that are checked in one turn. */
export function* partsOf(file: Buffer): Generator<readonly FileLine[]> {
  let [part, bytes]: [FileLine[], number] = [[], 0];
  for (const line of splitLines(file)) {
    part.push(line);
    bytes += line.bytes.length;
    if (bytes < PART_BYTES) continue;
    yield part;
    [part, bytes] = [[], 0];
  }
  yield part;
}

interface LineResult {
  readonly number: number;
  readonly fault: LineError | null;
  readonly checkImages: CheckedLine['checkImages'];
}

/** Checks what needs no decoding. */
function checkOne(line: FileLine, names: LineNames, seen: Map<string, number>): LineResult {
  const { number } = line;
  try {
    const { checkImages } = checkLine(line.bytes, names, claimFor(line, seen));
    return { number, fault: null, checkImages };
  } catch (error) {
    if (error instanceof LineError) return { number, fault: error, checkImages: null };
    throw error;
  }
}

/** What decoding the images of a line finds. Null: no mistake. */
async function faultOf(checkImages: CheckedLine['checkImages'], turns: FileTurns): Promise<LineError | null> {
  try {
    await checkImages?.(turns.reader, turns.image);
    return null;
  } catch (error) {
    if (error instanceof LineError) return error;
    throw error;
  }
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
    const stop = new Int32Array(1);
    const turns = new FileTurns(new ThreadTurns(), { owner: { key: '', workspace: '' }, stop });
    await checkBatchFile(file, { catalog: ANY_MODEL, allowed: null, tasks: ANY_TASK }, turns);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { type, message, details } = error;
    return { type, message, lines: (details.errors as LineFault[] | undefined) ?? [] };
  }
}
