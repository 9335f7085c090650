import { LIMITS } from '../../api/index.js';
import type { RefusedLine } from '../api/error.js';
import { decoded, NotUtf8 } from '../ui/read-text.js';
import { type Known, problemOfLine } from './check-line.js';

/** What is known of a batch file before it is sent. */
export interface CheckedFile {
  /** Lines that are not blank. */
  readonly lines: number;
  /** The first problems, at most `LIMITS.batchErrors`. */
  readonly errors: readonly RefusedLine[];
  readonly invalidLines: number;
  /** Lines by model, in the order of first use. */
  readonly models: ReadonlyArray<readonly [model: string, lines: number]>;
  /** Valid lines that name a task. Its model and its questions are not known here. */
  readonly taskLines: number;
  /** Estimated input tokens by model, of the lines that name one. */
  readonly tokens: ReadonlyMap<string, number>;
  /** A problem of the file as a whole; null if there is none. */
  readonly problem: string | null;
}

/** How long lines are checked before the page gets a turn. */
const TURN_MS = 12;

/**
 * Checks a batch file line by line, and leaves the page time in between. Rejects with the signal's reason if it aborts.
 *
 * @param onProgress called with the part of the file that is checked, 0 to 1
 */
export async function checkFile(
  file: Blob,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<CheckedFile> {
  const known: Known = {
    ids: new Set(),
    counts: new Map(),
    taskLines: 0,
    tokens: new Map(),
  };
  const errors: RefusedLine[] = [];
  let [line, lines, invalidLines, bytes] = [0, 0, 0, 0];
  const done = (problem: string | null): CheckedFile => ({
    lines,
    errors,
    invalidLines,
    models: [...known.counts],
    taskLines: known.taskLines,
    tokens: known.tokens,
    problem,
  });
  if (file.size > LIMITS.bodyBytes) return done(`The file is larger than ${LIMITS.bodyBytes / 2 ** 20} MiB.`);
  let turn = performance.now();
  try {
    for await (const text of linesOf(file, true)) {
      signal.throwIfAborted();
      line += 1;
      bytes += text.length + 1;
      if (!isBlank(text)) {
        lines += 1;
        const found = problemOfLine(text, known);
        if (found !== null) {
          invalidLines += 1;
          if (errors.length < LIMITS.batchErrors)
            errors.push({ line, type: found.type, error: found.message });
        }
      }
      if (performance.now() - turn > TURN_MS) {
        onProgress(Math.min(1, bytes / file.size));
        await new Promise((resolve) => setTimeout(resolve));
        turn = performance.now();
      }
    }
  } catch (error) {
    if (error instanceof NotUtf8) return done(error.message);
    throw error;
  }
  if (lines === 0) return done('The file has no lines.');
  if (lines > LIMITS.batchLines) {
    return done(`The file has ${lines} lines; the limit is ${LIMITS.batchLines}.`);
  }
  return done(null);
}

/** Whether the server leaves a line out: it has only the whitespace of JSON. */
export const isBlank = (line: string): boolean => /^[ \t\r]*$/.test(line);

/**
 * The lines of a file, without their ends. Throws NotUtf8.
 *
 * @param withMark whether a byte order mark is a part of the first line, as in a file that is sent as it is
 */
export async function* linesOf(file: Blob, withMark = false): AsyncGenerator<string> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: withMark });
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const text = decoded(() => (done ? decoder.decode() : decoder.decode(value, { stream: true })));
    // Only the new text is searched: a line may have many parts.
    const complete = text.split('\n');
    complete[0] = rest + (complete[0] as string);
    rest = complete.pop() as string;
    for (const each of complete) yield each.endsWith('\r') ? each.slice(0, -1) : each;
    if (done) break;
  }
  if (rest !== '') yield rest;
}
