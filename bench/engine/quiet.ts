import { readFileSync } from 'node:fs';

const WINDOW_MS = 20;
const BUSY_PART_MAX = 0.1;
const WAIT_MS_MAX = 3_000;

/**
 * Resolves when all threads of this process are idle. ggml's threads keep polling for work for a while after a decode,
 * and would take a core from the next contestant.
 */
export async function untilQuiet(): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const start = performance.now();
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
    const { user, system } = process.cpuUsage(before);
    const busy = (user + system) / 1_000 / (performance.now() - start);
    if (busy <= BUSY_PART_MAX || performance.now() > end) return;
  }
}

/** Processor time of the machine since boot, in ticks; null if the system does not report it. */
export function machineTicks(): { busy: number; all: number } | null {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
    const all = ticks.reduce((sum, value) => sum + value, 0);
    return { busy: all - (ticks[3] ?? 0) - (ticks[4] ?? 0), all };
  } catch {
    return null;
  }
}

const TICK_MS = 10;

/** The share of the machine (0 to 1) that other processes used while this benchmark used `ownMs` of processor time. */
export function othersPart(
  before: ReturnType<typeof machineTicks>,
  after: ReturnType<typeof machineTicks>,
  ownMs: number,
): number {
  if (before === null || after === null || after.all === before.all) return Number.NaN;
  return Math.max(0, (after.busy - before.busy - ownMs / TICK_MS) / (after.all - before.all));
}
