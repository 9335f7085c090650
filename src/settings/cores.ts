import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** A container's CPU quota: microseconds per period of microseconds, or `max` (cgroup v2). */
const QUOTA_FILE = '/sys/fs/cgroup/cpu.max';

/** The cores available to this process. Includes a container's quota, which Node 20 ignores. */
export function usableCores(file: string = QUOTA_FILE, cores: number = availableParallelism()): number {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return cores;
  }
  const [quota, period] = text.split(' ').map(Number);
  const allowed = (quota ?? Number.NaN) / (period ?? Number.NaN);
  return allowed > 0 ? Math.min(cores, Math.max(1, Math.floor(allowed))) : cores;
}

/**
 * Threads per context of one model. ggml threads wait for each other in busy loops, so twice as many threads as cores
 * take up to a hundred times as long: all contexts of a model together get no more threads than cores, but each at least
 * one. Several models on one CPU still share its cores. `notice` is called if the setting is reduced.
 */
export function engineThreads(
  set: number,
  contexts: number,
  notice: (sentence: string) => void,
  cores: number = usableCores(),
): number {
  const threads = Math.min(set, Math.max(1, Math.floor(cores / contexts)));
  if (threads < set) {
    notice(
      `engine.threads is ${set}, but ${cores} cores are available for contexts: ${contexts}. Threads used per context: ${threads}.`,
    );
  }
  return threads;
}
