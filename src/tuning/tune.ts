import type { Clock } from '../base/index.js';
import type { OpenModel, Plan } from '../engine/index.js';
import { type Candidate, chooseCandidates, predict } from './choice/choose.js';
import type { EngineChoice, Goal, Grid, SimulatedMachine } from './choice/engine-choice.js';
import { type LoadPoint, loadCurve } from './choice/load-curve.js';
import { allAtOnceMs, LATENCY_LOAD, mixedPlans, type Workload, workloadOf } from './choice/workload.js';
import type { Measurer } from './measurer.js';
import type { PlanningModel } from './numerics/fixed-prompts.js';
import { judgeNumerics, type NumericsReport } from './numerics/judge-answers.js';
import { ProbeError } from './process/probe-backend.js';
import { recommend } from './recommend.js';
import { leastSeconds, type Peaks } from './roofline.js';
import type { Costs } from './simulation/cost-model.js';
import { type Fit, fitCosts } from './speed/fit-costs.js';
import { peaksOf } from './speed/measured-peaks.js';
import type { TimedDecode } from './speed/time-decodes.js';
import type { OpenEngine } from './verification/run-workloads.js';
import { shapesToVerify, type VerifiedShape } from './verification/shapes-to-verify.js';
import { type Verified, verify } from './verification/verify.js';

/** What was measured with contexts of so many threads, and the constants that it led to. */
export interface MeasuredSpeed extends Fit {
  readonly threads: number;
  readonly decodes: readonly TimedDecode[];
}

/** The result of tuning. */
export interface TuneReport {
  /** When it began, as ISO 8601. */
  readonly date: string;
  /** The build, and what it was measured on. */
  readonly build: string;
  readonly device: string;
  readonly goal: Goal;
  /** The comparison with the CPU; null if the device gave no answers, or was not measured. */
  readonly numerics: NumericsReport | null;
  /** By number of threads; empty if the answers of the device are wrong. */
  readonly speed: readonly MeasuredSpeed[];
  /** Requests of the workload, and milliseconds between them on average (0: all at once). */
  readonly workload: { readonly requests: number; readonly gapMs: number } | null;
  /** The current settings first, then those that the simulation found best. */
  readonly verified: readonly Verified[];
  /** Of the shapes of the first of them: the share of the roofline that its fastest round reached, 0 to 1. */
  readonly roofline: readonly number[];
  /** Simulated latencies by load; null if nothing was simulated. */
  readonly curves: {
    readonly current: readonly LoadPoint[];
    readonly recommended: readonly LoadPoint[];
  } | null;
  /** Null if nothing is recommended. */
  readonly recommended: EngineChoice | null;
  /** Why not; empty if something is. */
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

/** What is tuned. */
interface TunePlan {
  readonly build: string;
  /** See `deviceTitle`. */
  readonly device: string;
  readonly goal: Goal;
  /** Time of all measurements together, in milliseconds. It is exceeded if the least that is needed takes longer. */
  readonly ms: number;
  readonly model: PlanningModel & Pick<OpenModel, 'description'>;
  readonly machine: Omit<SimulatedMachine, 'costs'>;
  /** The settings of the server as it is. */
  readonly current: EngineChoice;
  readonly grid: Grid;
}

/** Where tuning measures; parameters, so that tests can replace the machine. */
interface TuneDependencies {
  readonly measurer: Measurer;
  readonly open: OpenEngine;
  readonly clock: Clock;
  /** Called with what is done next. */
  onStep(text: string): void;
}

/** Parts of the time: the answers of the CPU, decodes, real requests. The rest is for the answers of the device. */
const PARTS = { reference: 0.3, speed: 0.2, verification: 0.35 } as const;
/** More time than this makes neither more precise. Milliseconds; of decodes, per number of threads. */
const SPEED_MS_MAX = 20_000;
const VERIFICATION_MS_MAX = 40_000;
/** Candidates that run for real, besides the current settings. */
const CANDIDATES = 3;
/** Rounds of the verification that the number of requests is chosen for. */
const ROUNDS = 3;
const REQUESTS_MIN = 16;
const REQUESTS_MAX = 200;

/**
 * Measures a device with a model and recommends settings. First it compares the answers of the device with those of the
 * CPU, and ends if they are wrong; then it times decodes, fits the cost model, simulates the settings of the grid, and runs
 * the best ones for real. Rejects with the measurer's errors, except where the device fails: then the report says why.
 * If no typical request fits, nothing is measured.
 */
export async function tune(plan: TunePlan, dependencies: TuneDependencies): Promise<TuneReport> {
  const { build, device, goal, ms, model, machine } = plan;
  const nothing = {
    date: new Date(dependencies.clock.now()).toISOString(),
    build,
    device,
    goal,
    numerics: null,
    speed: [],
    workload: null,
    verified: [],
    roofline: [],
    curves: null,
    recommended: null,
    notes: [],
  };
  const plans = mixedPlans(model, machine.cells, REQUESTS_MAX);
  if (plans.length === 0) return { ...nothing, refusals: [nothingFits(model.contextLength, machine.cells)] };
  let numerics: NumericsReport | null = null;
  try {
    numerics = await compareAnswers(ms * PARTS.reference, model.description.layers, dependencies);
    if (numerics.refusals.length > 0) return { ...nothing, numerics, refusals: numerics.refusals };
    const speed = await measureSpeeds(plan, dependencies);
    return { ...nothing, numerics, speed, ...(await chooseAndVerify(plan, plans, speed, dependencies)) };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { ...nothing, numerics, refusals: [error.message] };
  }
}

const nothingFits = (contextLength: number, cells: number) =>
  contextLength <= cells
    ? `no typical request fits the context length of ${contextLength} tokens`
    : `no typical request fits the ${cells} cells of a context: raise engine.cells`;

/** The device failed; the message says how. */
class DeviceError extends Error {}

async function ofDevice<Result>(what: string, measuring: Promise<Result>): Promise<Result> {
  try {
    return await measuring;
  } catch (error) {
    throw error instanceof ProbeError ? new DeviceError(`${what}: ${error.message}`) : error;
  }
}

async function compareAnswers(
  ms: number,
  layers: number,
  { measurer, onStep }: TuneDependencies,
): Promise<NumericsReport> {
  onStep('answers of the CPU');
  const reference = await measurer.reference(ms);
  onStep(`answers of the device to the same ${reference.length} prompts`);
  const found = await ofDevice('it gave no answers', measurer.answers(reference.length));
  return judgeNumerics(reference, found, layers);
}

async function measureSpeeds(
  { ms, grid }: TunePlan,
  { measurer, onStep }: TuneDependencies,
): Promise<MeasuredSpeed[]> {
  const found: MeasuredSpeed[] = [];
  for (const threads of grid.threads) {
    onStep(`decodes, threads: ${threads}`);
    const part = Math.min((ms * PARTS.speed) / grid.threads.length, SPEED_MS_MAX);
    const { decodes, waves } = await ofDevice('its decodes failed', measurer.speed(threads, part));
    found.push({ threads, decodes, ...fitCosts(decodes, waves) });
  }
  return found;
}

async function chooseAndVerify(
  { goal, ms, model, machine: facts, current, grid, device }: TunePlan,
  plans: readonly Plan[],
  speed: readonly MeasuredSpeed[],
  { open, clock, onStep }: TuneDependencies,
) {
  const costs = new Map<number, Costs>(speed.map((each) => [each.threads, each.costs]));
  const machine: SimulatedMachine = { ...facts, costs: (threads) => costs.get(threads) };
  const time = Math.min(ms * PARTS.verification, VERIFICATION_MS_MAX);
  const workload = sizedWorkload(goal, plans, current, machine, time);
  onStep(`simulation of ${workload.plans.length} requests`);
  const found = chooseCandidates(workload, grid, current, machine, CANDIDATES + 1);
  const [best] = found;
  const asIs: Candidate = { choice: current, predicted: predict(workload, current, machine) };
  const others = found.filter(({ choice }) => !isSame(choice, current)).slice(0, CANDIDATES);
  onStep(`real requests with ${others.length + 1} settings`);
  const shapes = shapesToVerify(model, machine.cells);
  const verified = await verify([asIs, ...others], { workload, shapes, machine, open, clock, ms: time });
  const spreadWith = (threads: number) => speed.find((each) => each.threads === threads)?.spread;
  const { choice, refusals, notes } = recommend(verified, spreadWith);
  // The share of batches is only simulated: it does not change what is verified.
  const batch_percent = best?.choice.batch_percent ?? current.batch_percent;
  const recommended = choice && { ...choice, batch_percent };
  const curveOf = (of: EngineChoice) => loadCurve(workload.plans, of, recommended ?? current, machine);
  return {
    roofline: rooflineShares(
      shapes,
      verified[0],
      peaksOf(device, model.description, speed[0] as MeasuredSpeed),
      model,
    ),
    curves: {
      current: curveOf(current),
      recommended: recommended && !isSame(recommended, current) ? curveOf(recommended) : [],
    },
    workload: {
      requests: workload.plans.length,
      gapMs: (workload.times.at(-1) ?? 0) / workload.times.length,
    },
    verified,
    recommended,
    refusals,
    notes,
  };
}

function rooflineShares(
  shapes: readonly VerifiedShape[],
  first: Verified | undefined,
  peaks: Peaks,
  { description }: Pick<OpenModel, 'description'>,
): number[] {
  return shapes.flatMap(({ groups }, index) => {
    const measured = first?.shapes[index]?.measured ?? [];
    const least = groups.reduce((sum, plans) => sum + leastSeconds(plans, description, peaks), 0);
    return measured.length === 0 ? [] : [(least * 1_000) / Math.min(...measured)];
  });
}

/** As many of the requests as can be run for real with every candidate. */
function sizedWorkload(
  goal: Goal,
  plans: readonly Plan[],
  current: EngineChoice,
  machine: SimulatedMachine,
  ms: number,
): Workload {
  const some = plans.slice(0, REQUESTS_MIN);
  const each = allAtOnceMs(some, current, machine) / some.length / (goal === 'latency' ? LATENCY_LOAD : 1);
  // Half of the time goes to the shapes, and to starting contexts.
  const budget = ms / (CANDIDATES + 1) / ROUNDS / 2;
  const count = Math.max(REQUESTS_MIN, Math.min(REQUESTS_MAX, Math.floor(budget / each)));
  return workloadOf(goal, plans.slice(0, count), current, machine);
}

/** Equal but for the share of batches. */
const isSame = (a: EngineChoice, b: EngineChoice) =>
  JSON.stringify({ ...a, batch_percent: 0 }) === JSON.stringify({ ...b, batch_percent: 0 });
