import type { Test } from 'tap';

/**
 * Until the test ends, a timer of one of these lengths is due at once, behind what `meanwhile` does: how long the
 * clients wait before they ask again. They cannot be given a clock. Returns the lengths waited, as they come.
 *
 * @param lengths milliseconds; those of timers that nothing else in the process sets
 */
export function passWaits(
  t: Test,
  lengths: readonly number[],
  meanwhile: () => void | Promise<void> = () => {},
): number[] {
  const waited: number[] = [];
  const real = globalThis.setTimeout;
  const passing = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    if (ms === undefined || !lengths.includes(ms)) return real(callback, ms, ...args);
    waited.push(ms);
    return real(() => Promise.resolve(meanwhile()).then(() => callback(...args)), 0);
  };
  globalThis.setTimeout = passing as typeof setTimeout;
  t.teardown(() => {
    globalThis.setTimeout = real;
  });
  return waited;
}
