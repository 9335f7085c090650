import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { OperatorError, printable, splitLines, withoutByteOrderMark } from '../../base/index.js';
import type { Outcome, OutcomeError } from '../archive.js';
import type { TargetDescription } from '../report.js';

/** Bound of a results file, which is read into memory. */
const RESULTS_BYTES_MAX = 1 << 30;

/** The lines of a batch results file (contract 2.7), by `custom_id`. */
interface BatchResults {
  readonly description: TargetDescription;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Reads a batch results file. Throws OperatorError, which names file and line. */
export function readResults(path: string): BatchResults {
  const outcomes = new Map<string, Outcome>();
  for (const { number, bytes } of splitLines(withoutByteOrderMark(readFile(path)))) {
    const { custom_id: id, response, error, status } = parse(path, number, bytes);
    if (typeof id !== 'string') throw new OperatorError(`${path}:${number}: \`custom_id\` is missing.`);
    if (outcomes.has(id))
      throw new OperatorError(`${path}:${number}: \`custom_id\` ${JSON.stringify(id)} is repeated.`);
    outcomes.set(id, response === undefined ? { error: errorOf(status, error) } : { response });
  }
  if (outcomes.size === 0) throw new OperatorError(`${path} has no results.`);
  return { description: { kind: 'results', file: basename(path) }, outcomes };
}

function readFile(path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size <= RESULTS_BYTES_MAX) return readFileSync(path);
    throw new OperatorError(`${path} has ${size} bytes; the limit is ${RESULTS_BYTES_MAX}.`);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`The results cannot be read: ${(error as Error).message}.`);
  }
}

function parse(path: string, line: number, bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new OperatorError(`${path}:${line}: not a JSON object.`);
}

function errorOf(status: unknown, error: unknown): OutcomeError {
  const { type, error: message } = Object(error) as Record<string, unknown>;
  return {
    status: typeof status === 'number' ? status : null,
    type: typeof type === 'string' ? printable(type) : 'no_answer',
    message:
      typeof message === 'string' ? printable(message) : 'the line has neither a response nor an error',
    temporary: false,
  };
}
