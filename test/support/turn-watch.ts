import { readFileSync } from 'node:fs';

/** Between two looks at the event loop. */
const TICK_MS = 1;

/**
 * How long the event loop of this thread, the main one, was busy at a stretch: the processor time that it took between
 * two ticks, in milliseconds. On a busy machine the time on the clock is mostly that of others. Linux only; 0 elsewhere.
 */
export function watchTurns(): { stop(): { readonly most: number; readonly over20: number } } {
  let last = processorMs();
  let [most, over20] = [0, 0];
  const timer = setInterval(() => {
    const now = processorMs();
    most = Math.max(most, now - last);
    if (now - last > 20) over20 += 1;
    last = now;
  }, TICK_MS);
  return {
    stop() {
      clearInterval(timer);
      return { most, over20 };
    },
  };
}

function processorMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}
