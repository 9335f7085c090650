import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { Engine, PlanLogits, RunOptions } from '../engine/index.js';
import { rawProbabilities } from './answers/answer.js';
import { labelMassOf, probabilitiesOf } from './answers/average.js';
import { roundProbabilities } from './answers/probabilities.js';
import type { PrepareResult, SentRequest } from './prepare.js';
import { FORMATS, type FormatName } from './request-formats.js';

/** An answered request. */
export interface Decision {
  /** The response as JSON, in the format of the request. */
  readonly json: string;
  /** The build that answered. */
  readonly build: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** Milliseconds spent in each phase. */
  readonly timing: { readonly prepare: number; readonly queue: number; readonly engine: number };
  /** Whether the logits are those of an equal request (see `EngineAnswer`). */
  readonly isShared: boolean;
}

/** The reserved cost of a request. `decide` calls one of the two methods, once. */
export interface Settlement {
  /** Charges for the answer and records it. If it throws, the request fails; nothing may stay reserved then. */
  post(decision: Decision): void;
  /** Returns the reserved cost: the request has no answer. */
  release(): void;
}

/** What `decide` needs from other rooms. */
export interface DecideDependencies {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Runs `prepareSent` on another thread. */
  prepare(task: SentRequest): Promise<PrepareResult>;
  /** The engine of a build; undefined if it is not loaded. */
  engine(build: string): Pick<Engine, 'run'> | undefined;
  /** Reserves the cost of an answer before the plan is queued. `decide` rejects with its error. */
  reserve(build: string, inputTokens: number): Settlement | Promise<Settlement>;
}

type Ready = Extract<PrepareResult, { ok: true }>;

/**
 * Answers one request, live or from a batch, and settles its cost.
 *
 * @param options passed to `Engine.run`
 * @throws ApiError if the request is refused, the engine's error, or the signal's reason
 */
export async function decide(
  task: SentRequest,
  dependencies: DecideDependencies,
  options: RunOptions,
): Promise<Decision> {
  options.signal.throwIfAborted();
  const started = dependencies.clock.monotonic();
  const prepared = await dependencies.prepare(task);
  if (!prepared.ok) throw new ApiError(prepared.type, prepared.message, {}, {}, prepared.param);
  const { build, inputTokens } = prepared;
  const engine = dependencies.engine(build);
  if (engine === undefined) {
    throw new ApiError('model_unavailable', `The model ${build} is not ready.`, { retryAfterSeconds: 1 });
  }
  const reserved = dependencies.reserve(build, inputTokens);
  // A settlement that is there already costs no turn.
  const settlement = reserved instanceof Promise ? await reserved : reserved;
  let decision: Decision;
  try {
    const preparedMs = dependencies.clock.monotonic() - started;
    decision = await run(prepared, engine, preparedMs, options, task.format);
  } catch (error) {
    settlement.release();
    throw error;
  }
  settlement.post(decision);
  return decision;
}

async function run(
  { build, plan, questions, temperatures, orders, diagnostics, inputTokens }: Ready,
  engine: Pick<Engine, 'run'>,
  preparedMs: number,
  options: RunOptions,
  format: FormatName,
): Promise<Decision> {
  const { logits, queueMs, computeMs, isShared } = await engine.run(plan, options);
  const byQuestion = split(logits, orders);
  const probabilities = questions.map((question, index) =>
    probabilitiesOf(byQuestion[index] as PlanLogits, question.options.length, temperatures[index] as number),
  );
  const extras = questions.map((question, index) => ({
    raw: diagnostics.rawProbabilities
      ? rawProbabilities(question, probabilities[index] as Float64Array)
      : null,
    labelMass: diagnostics.labelMass
      ? labelMassOf(byQuestion[index] as PlanLogits, question.options.length)
      : null,
  }));
  const units = probabilities.map(roundProbabilities);
  const usage = { inputTokens, outputTokens: units.length };
  return {
    json: FORMATS[format].response({ build, questions, units, usage, extras }),
    build,
    usage,
    timing: { prepare: preparedMs, queue: queueMs, engine: computeMs },
    isShared,
  };
}

/** The logits of each question, one array per order of its options. */
function split(logits: PlanLogits, orders: readonly number[]): PlanLogits[] {
  let end = 0;
  return orders.map((count) => {
    end += count;
    return logits.slice(end - count, end);
  });
}
