import { systemClock } from '../../base/index.js';
import {
  type EmbeddingSizes,
  Engine,
  EngineThread,
  type ImageReading,
  type MemorySpace,
  requireReserve,
  type Sharing,
} from '../../engine/index.js';
import { sizesOf } from '../choice/engine-choice.js';
import type { ProbeSetup } from '../process/probe-messages.js';
import type { OpenEngine } from './run-workloads.js';

/** Nothing is refused: the requests of a measurement are bounded. */
const QUEUE_MAX = 100_000;
const DEADLINE_MS = 3_600_000;

/**
 * Opens engines as a server does: a thread and a context per lane, on one device. Opening rejects with MemoryError if the
 * device then has too little memory free for a server to start.
 *
 * @param spaces the memory of the devices, as it is now; empty: it is not compared
 */
export function engineOpener(
  { backend, device, build, bounds }: ProbeSetup,
  sharing: Sharing,
  images: (ImageReading & EmbeddingSizes) | null,
  spaces: () => readonly MemorySpace[],
): OpenEngine {
  return async (choice) => {
    const { bounds: own, contexts } = sizesOf(choice, bounds.cells, device);
    const { threads } = choice;
    const lanes = Array.from(
      { length: contexts },
      (_, at) => new EngineThread({ backend, device, build, images, bounds: own, threads, number: at + 1 }),
    );
    const close = async () => {
      await Promise.allSettled(lanes.map((lane) => lane.close()));
    };
    try {
      await Promise.all(lanes.map((lane) => lane.ready()));
      requireReserve(spaces(), backend, { ...own, contexts });
    } catch (error) {
      await close();
      throw error;
    }
    const engine = new Engine(lanes, {
      bounds: own,
      sharing,
      shareBesideLive: choice.batch_percent / 100,
      images,
      queueMax: QUEUE_MAX,
      deadlineMs: DEADLINE_MS,
      clock: systemClock,
    });
    return {
      // One signal per request: listeners would add up on a shared one.
      run: (plan) => engine.run(plan, { signal: new AbortController().signal }),
      async close() {
        engine.close();
        await close();
      },
    };
  };
}
