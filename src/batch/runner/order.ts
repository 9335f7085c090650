import { createHash } from 'node:crypto';
import { stateBytes } from '../../decide/index.js';
import type { BatchLine } from '../batch-line.js';

/**
 * The lines of a chunk with those of one model and one state behind each other, so that they are in one wave and their
 * prefix is computed once. Groups stand in the order of their first lines, and lines within a group in their own.
 */
export function orderByState(lines: readonly BatchLine[]): BatchLine[] {
  const groups = new Map<string, BatchLine[]>();
  for (const line of lines) {
    const name = `${line.model} ${createHash('sha256').update(stateBytes(line.body)).digest('base64')}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [line]);
    else group.push(line);
  }
  return [...groups.values()].flat();
}
