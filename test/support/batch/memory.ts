import { ReadAhead } from '../../../src/batch/runner/read-ahead.js';
import type { World } from './world.js';

/** What the runner of a world's present life holds in memory of its lines, and the most it held since this call. */
export function memoryOf(world: World): { readonly bytes: number; readonly most: number } {
  const memory = world.batches['runner']['memory'];
  const held = { most: memory.bytes };
  memory.add = (bytes) => {
    ReadAhead.prototype.add.call(memory, bytes);
    held.most = Math.max(held.most, memory.bytes);
  };
  return {
    get bytes() {
      return memory.bytes;
    },
    get most() {
      return held.most;
    },
  };
}
