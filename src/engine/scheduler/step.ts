import type { WaveResult, WaveTask } from '../wave/task.js';
import type { Plan, PlanLogits } from '../wave/wave-types.js';
import type { ContextState } from './context-state.js';
import { Scheduler } from './scheduler.js';
import type { Entry } from './scheduler-types.js';
import type { Wave } from './wave-builder.js';

/** A plan whose suffixes are all computed. */
export interface Answer<E extends Entry> {
  readonly entry: E;
  readonly logits: PlanLogits;
  /** Tokens that the prefix cache saved. */
  readonly cachedTokens: number;
}

/** Fills the next wave of a context, runs it on this thread and settles it; null if there is nothing to do. */
export function step<E extends Entry>(
  scheduler: Scheduler<E>,
  context: ContextState<E>,
  run: (task: WaveTask) => WaveResult,
): Array<Answer<E>> | null {
  const wave = scheduler.fill(context);
  return wave === null ? null : settle(context, wave, run(wave.task));
}

/** Gives a wave's results to its plans and keeps its embeddings; returns the plans that are complete. */
export function settle<E extends Entry>(
  { embeddings }: ContextState<E>,
  wave: Wave<E>,
  results: WaveResult,
): Array<Answer<E>> {
  for (const [key, embedding] of wave.encoded) embeddings.add(key, embedding);
  wave.answered.forEach((answered, index) => {
    for (const { running, suffix } of answered) running.logits[suffix] = results[index] as Float32Array;
  });
  return wave.running
    .filter(({ entry, logits }) => countOf(logits) === entry.plan.suffixes.length)
    .map(({ entry, logits, cachedTokens }) => ({ entry, logits, cachedTokens }));
}

/** Runs plans that arrive together on a context without others, on this thread; returns their logits in order. */
export function runTogether(
  plans: readonly Plan[],
  context: ContextState<Entry>,
  run: (task: WaveTask) => WaveResult,
): PlanLogits[] {
  const scheduler = new Scheduler<Entry>({ queueMax: plans.length });
  const entries = plans.map((plan) => ({ plan, dropped: false }));
  for (const entry of entries) scheduler.add(entry, 'live');
  const found = new Map<Entry, PlanLogits>();
  for (let done = step(scheduler, context, run); done !== null; done = step(scheduler, context, run)) {
    for (const { entry, logits } of done) found.set(entry, logits);
  }
  return entries.map((entry) => {
    const logits = found.get(entry);
    if (logits === undefined) throw new Error('a plan was not answered');
    return logits;
  });
}

/** Entries of a list that has holes. */
const countOf = (list: readonly unknown[]) => Object.keys(list).length;
