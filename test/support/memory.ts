import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this thread's JavaScript holds on to, in the heap and in buffers outside it. */
export function retainedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
