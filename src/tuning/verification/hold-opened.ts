import type { OpenEngine } from './run-workloads.js';

/**
 * Opens engines that share weights. `hold` loads them, and returns a function that frees them: it is called before the
 * first engine is opened, so that the next ones need not load them, and not earlier, because the processes that measure a
 * device load the weights, too, and a GPU may lack the memory for both. `release` frees them.
 */
export function holdOpened(
  open: OpenEngine,
  hold: () => () => void,
): { readonly open: OpenEngine; release(): void } {
  let free: (() => void) | null = null;
  return {
    async open(choice) {
      free ??= hold();
      return open(choice);
    },
    release: () => free?.(),
  };
}
