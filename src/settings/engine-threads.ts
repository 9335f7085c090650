import { usableCores } from '../base/index.js';

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
