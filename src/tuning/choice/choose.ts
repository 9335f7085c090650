import type { Plan } from '../../engine/index.js';
import { type Arrival, simulate } from '../simulation/simulate.js';
import { type EngineChoice, type Grid, type SimulatedMachine, simulationOf } from './engine-choice.js';
import { scoreOf } from './goal-score.js';
import { arrivalTimes, type Workload } from './workload.js';

/** Settings and what they are expected to lead to. */
export interface Candidate {
  readonly choice: EngineChoice;
  /** See `scoreOf`. Milliseconds. */
  readonly predicted: number;
}

/** Candidates whose scores differ by less than this part are equal: then the one closer to the defaults comes first. */
const EQUAL = 0.02;
/** Of the batch share for latency: the throughput beside live requests may fall to this part. */
const BATCH_PART_MIN = 0.9;
/** Live requests beside a batch, as a part of the load that all of them at once are. */
const BESIDE_BATCH_LOAD = 0.4;

/** Simulates a workload with these settings. Milliseconds. */
export function predict(workload: Workload, choice: EngineChoice, machine: SimulatedMachine): number {
  const { goal, plans, times } = workload;
  const arrivals = plans.map(
    (plan, index): Arrival => ({ at: times[index] as number, plan, urgency: 'live' }),
  );
  return scoreOf(goal, simulate(arrivals, simulationOf(choice, machine)));
}

/**
 * Simulates the workload with the settings of a grid, and returns the best ones first; `count` of them, which differ in
 * more than the share of batches. Threads, wave sizes and contexts are combined; then the sequences, then the share of
 * batches are varied for the best.
 */
export function chooseCandidates(
  workload: Workload,
  grid: Grid,
  defaults: EngineChoice,
  machine: SimulatedMachine,
  count: number,
): Candidate[] {
  const candidate = (choice: EngineChoice): Candidate => ({
    choice,
    predicted: predict(workload, choice, machine),
  });
  const first = grid.threads.flatMap((threads) =>
    grid.waveTokens.flatMap((wave_tokens) =>
      grid.contexts.map((contexts) => candidate({ ...defaults, threads, wave_tokens, contexts })),
    ),
  );
  const [best] = ranked(first, defaults);
  if (best === undefined) return [];
  const second = grid.sequences
    .filter((sequences) => sequences !== best.choice.sequences)
    .map((sequences) => candidate({ ...best.choice, sequences }))
    // They take memory.
    .filter(({ predicted }) => predicted < best.predicted * (1 - EQUAL));
  const batch_percent = chooseBatchShare(workload, grid, best.choice, machine);
  return ranked([...first, ...second], defaults)
    .slice(0, count)
    .map((each) => ({ ...each, choice: { ...each.choice, batch_percent } }));
}

/** By their scores; of about equal ones, those first that differ less from the defaults. */
function ranked(candidates: readonly Candidate[], defaults: EngineChoice): Candidate[] {
  const least = Math.min(...candidates.map(({ predicted }) => predicted));
  const rank = ({ predicted }: Candidate) => Math.floor(Math.log(predicted / least) / EQUAL);
  return [...candidates].sort(
    (a, b) =>
      rank(a) - rank(b) || changesOf(a, defaults) - changesOf(b, defaults) || a.predicted - b.predicted,
  );
}

const changesOf = ({ choice }: Candidate, defaults: EngineChoice) =>
  Object.entries(choice).filter(([name, value]) => value !== defaults[name as keyof EngineChoice]).length;

/**
 * The share of batches beside live requests. For throughput, the one with the most questions per second; for latency, the
 * one with the lowest latency of live requests that keeps nine tenths of the best throughput.
 */
function chooseBatchShare(
  { goal, plans }: Workload,
  { batchPercent }: Grid,
  choice: EngineChoice,
  machine: SimulatedMachine,
): number {
  const shares = batchPercent.map((batch_percent) => {
    const { perSecond, score } = besideBatch(plans, { ...choice, batch_percent }, machine);
    return { batch_percent, perSecond, score };
  });
  const most = Math.max(...shares.map(({ perSecond }) => perSecond));
  const part = goal === 'latency' ? BATCH_PART_MIN : 1 - EQUAL;
  const enough = shares.filter(({ perSecond }) => perSecond >= part * most);
  const [best] = enough.sort((a, b) => a.score - b.score);
  return best?.batch_percent ?? choice.batch_percent;
}

function besideBatch(plans: readonly Plan[], choice: EngineChoice, machine: SimulatedMachine) {
  const half = Math.floor(plans.length / 2);
  const live = plans.slice(0, half);
  const lines = plans.slice(half);
  const all = simulate(
    live.map((plan): Arrival => ({ at: 0, plan, urgency: 'live' })),
    simulationOf(choice, machine),
  );
  const times = arrivalTimes(live.length, all.ms / live.length / BESIDE_BATCH_LOAD);
  const until = times.at(-1) ?? 0;
  const { latencies, questions } = simulate(
    live.map((plan, index): Arrival => ({ at: times[index] as number, plan, urgency: 'live' })),
    { ...simulationOf(choice, machine), batch: endless(lines), until },
  );
  const perSecond = ((questions.live + questions.batch) / until) * 1_000;
  return { perSecond, score: scoreOf('latency', { latencies, ms: until }) };
}

/** The plans again and again, as new states: their prefixes are not found in a cache. */
function* endless(plans: readonly Plan[]): Generator<Plan> {
  for (let round = 0; plans.length > 0; round++) {
    for (const plan of plans) yield { ...plan, prefixKey: `${plan.prefixKey} ${round}` };
  }
}
