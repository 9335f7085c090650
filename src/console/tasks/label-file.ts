import { LIMITS } from '../../api/index.js';
import { hasState, LabelRoom } from '../../client/index.js';
import type { RefusedLine } from '../api/error.js';
import { isBlank, linesOf } from '../batches/check-file.js';
import { NotUtf8 } from '../ui/read-text.js';

/** A line of a file of labels. */
interface LabelLine {
  /** Its number in the file, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Lines that are sent in one call. */
export type LabelPart = readonly LabelLine[];

/** A file of labels that was read. */
export interface LabelFile {
  readonly name: string;
  readonly lines: number;
  /** Lines with a state, which are decided first, and charged. */
  readonly states: number;
  /** Lines that are no JSON, or that no call has room for; at most `LIMITS.batchErrors` are listed. */
  readonly errors: readonly RefusedLine[];
  readonly invalidLines: number;
  readonly parts: readonly LabelPart[];
  /** A problem of the file as a whole; null if there is none. */
  readonly problem: string | null;
}

/** A larger file is not read: a task keeps fewer labels. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Lines that are read before the page gets a turn. */
const TURN_LINES = 500;

const ENCODER = new TextEncoder();

/** Reads a file of labels, and divides it into calls. The server checks more. Rejects with the signal's reason. */
export async function readLabelFile(file: File, signal: AbortSignal): Promise<LabelFile> {
  const errors: RefusedLine[] = [];
  const parts = new Parts();
  let [number, lines, invalidLines] = [0, 0, 0];
  const done = (problem: string | null): LabelFile => {
    const { all, states } = parts;
    return { name: file.name, lines, states, errors, invalidLines, parts: all, problem };
  };
  if (file.size > FILE_BYTES_MAX) return done(`The file is larger than ${FILE_BYTES_MAX / 2 ** 20} MiB.`);
  try {
    for await (const text of linesOf(file)) {
      signal.throwIfAborted();
      number += 1;
      if (isBlank(text)) continue;
      lines += 1;
      if (lines > LIMITS.taskLabels) {
        return done(`The file has more than ${LIMITS.taskLabels} lines, which is what a task keeps.`);
      }
      const found = parts.add({ number, text });
      if (found !== null) {
        invalidLines += 1;
        if (errors.length < LIMITS.batchErrors) errors.push({ line: number, ...found });
      }
      if (lines % TURN_LINES === 0) await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (error) {
    if (error instanceof NotUtf8) return done(error.message);
    throw error;
  }
  return done(lines === 0 ? 'The file has no lines.' : null);
}

/** The lines of a file in calls, each with as much as it has room for. */
class Parts {
  readonly all: LabelLine[][] = [];
  /** Of all parts. */
  states = 0;
  private room = new LabelRoom();

  /** Adds a line. Why it cannot be sent; null if it can. */
  add(line: LabelLine): Pick<RefusedLine, 'type' | 'error'> | null {
    const bytes = ENCODER.encode(line.text).length + 1;
    if (bytes > LIMITS.labelBytes) {
      return { type: 'body_too_large', error: `The line has more than ${LIMITS.labelBytes / 2 ** 20} MiB.` };
    }
    let withState: boolean;
    try {
      withState = hasState(JSON.parse(line.text));
    } catch (error) {
      return { type: 'invalid_json', error: `The line is not valid JSON: ${(error as Error).message}` };
    }
    if (this.all.length === 0 || !this.room.add(bytes, withState)) {
      this.all.push([]);
      this.room = new LabelRoom();
      this.room.add(bytes, withState);
    }
    this.all.at(-1)?.push(line);
    this.states += Number(withState);
    return null;
  }
}
