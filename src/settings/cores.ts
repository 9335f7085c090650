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

/** Threads of a GPU's context: they only prepare decodes and compute what the GPU cannot. */
const GPU_THREADS = 4;

/** Where the contexts of one model compute. */
interface Contexts {
  readonly gpu: boolean;
  /** Per device. */
  readonly count: number;
}

/**
 * Threads per context of one model; `set` 0: a default. ggml threads wait for each other in busy loops, so twice as many
 * threads as cores take up to a hundred times as long: all contexts of a model on a CPU together get no more threads
 * than cores, but each at least one. By default they leave one core to the main thread: one core too few costs more than
 * one too many gains. Several models on one CPU still share its cores. `notice` is called if the setting is reduced.
 */
export function engineThreads(
  set: number,
  { gpu, count }: Contexts,
  notice: (sentence: string) => void,
  cores: number = usableCores(),
): number {
  const most = gpu ? cores : Math.max(1, Math.floor(cores / count));
  const threads = Math.min(set || (gpu ? GPU_THREADS : Math.max(1, cores - 1)), most);
  if (threads < set) {
    notice(
      `engine.threads is ${set}, but ${cores} cores are available for contexts: ${gpu ? 1 : count}. Threads used per context: ${threads}.`,
    );
  }
  return threads;
}
