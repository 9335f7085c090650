import { createHash } from 'node:crypto';
import { stateBytes } from '../../decide/index.js';
import type { BatchLine, OrderedLine } from '../batch-line.js';

/** Longer lines are not looked into, which takes the main thread's time; they hold images, and run for long. */
const COMPARED_BYTES_MAX = 64 * 1024;

/**
 * The lines of a chunk with those of one model and one state behind each other, so that they are in one wave and their
 * prefix is computed once. Groups stand in the order of their first lines, and lines within a group in their own.
 */
export function orderByState(lines: readonly BatchLine[]): OrderedLine[] {
  const groups = new Map<string, BatchLine[]>();
  for (const line of lines) {
    const name = nameOf(line);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [line]);
    else group.push(line);
  }
  return [...groups.values()].flatMap((group) => group.map((line, at) => ({ ...line, sharesState: at > 0 })));
}

function nameOf({ index, model, body }: BatchLine): string {
  if (body.length > COMPARED_BYTES_MAX) return String(index);
  return `${model} ${createHash('sha256').update(stateBytes(body)).digest('base64')}`;
}
