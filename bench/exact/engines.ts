import { systemClock } from '../../src/base/index.js';
import { Engine, EngineThread, EXACT, type Plan } from '../../src/engine/index.js';
import { buildOf } from '../engine/ours.js';
import { CPU_BOUNDS } from '../in-process.js';

const DEADLINE_MS = 3_600_000;
const QUEUE_MAX = 65_536;

/** How an engine in exact mode uses the cores. */
export interface Layout {
  readonly contexts: number;
  /** Per context. */
  readonly threads: number;
}

/** Requests in progress: more than the contexts compute, so that none is idle. */
const AT_ONCE = 16;

interface AnsweredPlans {
  /** In the order of the plans. */
  readonly logits: Float32Array[][];
  /** Until the last one is answered. */
  readonly ms: number;
  /** Plans that were not computed. */
  readonly shared: number;
}

/** An engine in exact mode on the CPU, with threads of its own. */
export interface ExactEngine {
  /** Answers plans, `AT_ONCE` at a time. `workspace`: whose equal plans get the same answer. */
  answer(plans: readonly Plan[], workspace: string): Promise<AnsweredPlans>;
  close(): Promise<void>;
}

/** Opens a model. Engines of the same file share its weights. `answerBytesMax`: of the cache of answers; 0: none. */
export async function openExact(
  path: string,
  { contexts, threads }: Layout,
  answerBytesMax = 0,
): Promise<ExactEngine> {
  const build = buildOf(path);
  const own = Array.from(
    { length: contexts },
    (_, at) =>
      new EngineThread({ backend: 'cpu', device: '', build, bounds: CPU_BOUNDS, threads, number: at + 1 }),
  );
  await Promise.all(own.map((thread) => thread.ready()));
  const engine = new Engine(own, {
    bounds: CPU_BOUNDS,
    sharing: EXACT,
    queueMax: QUEUE_MAX,
    deadlineMs: DEADLINE_MS,
    answerBytesMax,
    clock: systemClock,
  });
  return {
    async answer(plans, workspace) {
      const logits = new Array<Float32Array[]>(plans.length);
      let [at, shared] = [0, 0];
      const client = async () => {
        while (at < plans.length) {
          const own = at;
          at += 1;
          const { signal } = new AbortController();
          const answer = await engine.run(plans[own] as Plan, { signal, workspace });
          if (answer.isShared) shared += 1;
          logits[own] = [...answer.logits];
        }
      };
      const start = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, client));
      return { logits, ms: performance.now() - start, shared };
    },
    async close() {
      engine.close();
      await Promise.all(own.map((thread) => thread.close()));
    },
  };
}

/** How many plans have other bytes in one of two lists of logits. */
export function countDifferent(
  expected: readonly Float32Array[][],
  found: readonly Float32Array[][],
): number {
  return expected.filter((logits, at) => bytesOf(logits) !== bytesOf(found[at] ?? [])).length;
}

const bytesOf = (logits: readonly Float32Array[]): string =>
  logits.map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength).toString('hex')).join(' ');
