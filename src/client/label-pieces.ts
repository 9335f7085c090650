import { requireList } from './argument-checks.js';
import { DeciderError } from './client-error.js';
import type { TaskLabel } from './client-types.js';
import { requireText } from './encode.js';
import { encodedLine } from './image-sources.js';
import { untilAborted } from './until-aborted.js';

// The server's limits of a call (docs/contract.md, 8). Not imported, so that the client is these files alone; a test
// compares them.
export const LABEL_BYTES_MAX = 4 * 1024 * 1024;
export const LABEL_LINES_MAX = 1_000;
/** Lines with a state of a call. The server takes 100; fewer are decided again, and charged again, if the call fails. */
export const LABEL_STATES_MAX = 25;
/** Questions of a task at most: the prompts of a line with a state. */
export const TASK_QUESTIONS_MAX = 16;

/** What the lines of a call have together. */
export class LabelRoom {
  lines = 0;
  states = 0;
  private bytes = 0;

  /** Adds a line, if the call has room for it. `bytes`: of the line with its end. */
  add(bytes: number, hasState: boolean): boolean {
    const states = this.states + Number(hasState);
    const fits =
      this.bytes + bytes <= LABEL_BYTES_MAX && this.lines < LABEL_LINES_MAX && states <= LABEL_STATES_MAX;
    if (!fits) return false;
    this.bytes += bytes;
    this.lines += 1;
    this.states = states;
    return true;
  }
}

/** The body of a call, and what it has. */
export interface LabelPiece {
  readonly body: string;
  readonly lines: number;
  /** Lines with a state, which is decided and charged. */
  readonly states: number;
}

/** Labels as lines of JSON. Rejects with DeciderError for files that are no images, or with TypeError for what cannot be sent. */
export async function* linesOfLabels(
  labels: Iterable<TaskLabel> | AsyncIterable<TaskLabel>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  requireList(labels, 'labels');
  let taken = 0;
  for await (const label of untilAborted(labels, signal)) {
    yield await encodedLine(label, `labels[${taken}]`, signal);
    taken += 1;
  }
}

/**
 * Divides lines into the bodies of calls, and takes a line only when it is needed. Rejects with DeciderError
 * `body_too_large` for a line that no call can have, with TypeError for what is no line, with what the lines reject with, or
 * with the reason of the signal.
 */
export async function* labelPieces(
  lines: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LabelPiece, void> {
  requireList(lines, 'lines');
  let [body, taken, room] = ['', 0, new LabelRoom()];
  const piece = (): LabelPiece => ({ body, lines: room.lines, states: room.states });
  for await (const line of untilAborted(lines, signal)) {
    if (typeof line !== 'string') throw new TypeError(`lines[${taken}]: must be a string of JSON.`);
    const size = bytesOf(requireText(line, `lines[${taken}]`)) + 1;
    taken += 1;
    if (size > LABEL_BYTES_MAX)
      throw new DeciderError('body_too_large', `Label ${taken} has more than ${LABEL_BYTES_MAX} bytes.`);
    const withState = mayHaveState(line);
    if (!room.add(size, withState)) {
      yield piece();
      [body, room] = ['', new LabelRoom()];
      room.add(size, withState);
    }
    body += `${line}\n`;
  }
  if (room.lines > 0) yield piece();
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).byteLength;

/** Whether a label has a state, which is decided and charged; `null` is none, as for the server. */
export const hasState = (label: unknown): boolean =>
  typeof label === 'object' && label !== null && ((label as { state?: unknown }).state ?? null) !== null;

/** Whether a line has a state; also true of one that is not JSON, which the server refuses. */
function mayHaveState(line: string): boolean {
  try {
    return hasState(JSON.parse(line));
  } catch {
    return true;
  }
}
