import { createHash } from 'node:crypto';
import { stateBytes } from '../../decide/index.js';
import type { BatchLine } from '../sealed-values.js';

/** A line, in the order in which the lines of its chunk run. */
export interface OrderedLine extends BatchLine {
  /** Whether the line before it has the same model and state. */
  readonly sharesState: boolean;
}

/** Longer lines are not compared, which would take long. They usually hold images. */
const COMPARED_BYTES_MAX = 64 * 1024;

/** The group number of each line of a chunk. Lines of a group have the same model and state. */
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
 * Reorders lines so that those of a group are adjacent: then they share a wave and their prefix is computed once. Groups
 * keep the order of their first lines, and lines keep their order within a group.
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
