import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** How much of a CPU a container may use: microseconds in a period of microseconds, or `max` (cgroup v2). */
const QUOTA_FILE = '/sys/fs/cgroup/cpu.max';

/** The cores that this process can compute on at a time: a container's quota counts, and Node 20 does not see it. */
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
 * The threads of each of several contexts. ggml's threads wait for each other in a loop, so that twice as many as there
 * are cores take a hundred times as long: there are never more. `notice` is told where that changes the setting.
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
      `engine.threads is ${set}, but ${cores} cores compute ${contexts} contexts: each has ${threads} threads.`,
    );
  }
  return threads;
}
