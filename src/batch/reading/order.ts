import { createHash } from 'node:crypto';
import { stateBytes } from '../../decide/index.js';
import type { BatchLine } from '../sealed-batch.js';

/** A line among those of its chunk, in the order in which they run. */
export interface OrderedLine extends BatchLine {
  /** Whether the line before it asks the same model about the same state. */
  readonly sharesState: boolean;
}

/** Longer lines are not looked into, which takes time; they hold images, and run for long. */
const COMPARED_BYTES_MAX = 64 * 1024;

/** For each line of a chunk the number of its group: lines of one group ask one model about one state. */
export function stateGroups(lines: readonly BatchLine[]): number[] {
  const groups = new Map<string, number>();
  return lines.map((line) => {
    const name = nameOf(line);
    const group = groups.get(name) ?? groups.size;
    groups.set(name, group);
    return group;
  });
}

/**
 * Lines with those of one group behind each other, so that they are in one wave and their prefix is computed once.
 * Groups stand in the order of their first lines, and lines within a group in their own.
 */
export function inGroups(
  lines: ReadonlyArray<{ readonly line: BatchLine; readonly group: number }>,
): OrderedLine[] {
  const groups = new Map<number, BatchLine[]>();
  for (const { line, group } of lines) {
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [line]);
    else members.push(line);
  }
  return [...groups.values()].flatMap((group) => group.map((line, at) => ({ ...line, sharesState: at > 0 })));
}

function nameOf({ index, model, body }: BatchLine): string {
  if (body.length > COMPARED_BYTES_MAX) return String(index);
  return `${model} ${createHash('sha256').update(stateBytes(body)).digest('base64')}`;
}
