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
 * The threads of each context of one model. ggml's threads wait for each other in busy loops, so twice as many threads
 * as cores take up to a hundred times as long: a model gets no more than there are cores, as long as it has no more
 * contexts than that. Several models on one CPU still share its cores. `notice` is called when the setting is reduced.
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
      `engine.threads is ${set}, but ${contexts} contexts share ${cores} cores; each context uses ${threads} threads.`,
    );
  }
  return threads;
}
