import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { Engine, EngineAnswer, PlanLogits, RunOptions } from '../engine/index.js';
import { rawProbabilities } from './answers/answer.js';
import { labelMassOf, probabilitiesOf } from './answers/average.js';
import { roundProbabilities } from './answers/probabilities.js';
import type { PrepareResult, SentRequest } from './prepare.js';
import { FORMATS } from './request-formats.js';

/** An answered request. */
export interface Decision {
  /** The response as JSON, in the format of the request. */
  readonly json: string;
  /** The build that answered. */
  readonly build: string;
  /** See `CatalogBuild`. */
  readonly calibration: string;
  /**
   * Per question the probabilities of its options, neither rounded nor committed. Null: it does not fit, or they are a mean
   * over several orders of the options, which is not compared with labels of answers in one order.
   */
  readonly probabilities: ReadonlyArray<Float64Array | null>;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** Milliseconds spent in each phase. */
  readonly timing: { readonly prepare: number; readonly queue: number; readonly engine: number };
  /** When these phases began, on the monotonic clock; the engine's follows the queue. */
  readonly begun: { readonly prepare: number; readonly queue: number };
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
  const prepared = await dependencies.prepare({ ...task, workspace: options.workspace });
  if (!prepared.ok) throw new ApiError(prepared.type, prepared.message, {}, {}, prepared.param);
  const preparedMs = dependencies.clock.monotonic() - started;
  if (!prepared.orders.some((count) => count > 0))
    return decisionOf(
      prepared,
      NOT_COMPUTED,
      preparedMs,
      { prepare: started, queue: started + preparedMs },
      task,
    );
  const { build, inputTokens } = prepared;
  const engine = dependencies.engine(build);
  if (engine === undefined) {
    throw new ApiError('model_unavailable', `The model ${build} is not ready.`, { retryAfterSeconds: 1 });
  }
  const reserved = dependencies.reserve(build, inputTokens);
  // A settlement that is there already costs no turn.
  const settlement = reserved instanceof Promise ? await reserved : reserved;
  const begun = { prepare: started, queue: dependencies.clock.monotonic() };
  let decision: Decision;
  try {
    const answer = await engine.run(prepared.plan, options);
    decision = decisionOf(prepared, answer, preparedMs, begun, task);
  } catch (error) {
    settlement.release();
    throw error;
  }
  settlement.post(decision);
  return decision;
}

/** What comes of a request of which no question fits the context window: nothing is computed or charged. */
const NOT_COMPUTED: EngineAnswer = { logits: [], queueMs: 0, computeMs: 0, isShared: false, cachedTokens: 0 };

function decisionOf(
  { build, calibration, questions, temperatures, orders, diagnostics, inputTokens }: Ready,
  { logits, queueMs, computeMs, isShared, cachedTokens }: EngineAnswer,
  preparedMs: number,
  begun: Decision['begun'],
  { format, task }: Pick<SentRequest, 'format' | 'task'>,
): Decision {
  const byQuestion = split(logits, orders);
  const probabilities = questions.map(({ options }, index) => {
    const own = byQuestion[index] as PlanLogits;
    return own.length === 0 ? null : probabilitiesOf(own, options.length, temperatures[index] as number);
  });
  const extras = questions.map((question, index) => {
    const found = probabilities[index] ?? null;
    const own = byQuestion[index] as PlanLogits;
    return {
      raw: diagnostics.rawProbabilities && found !== null ? rawProbabilities(question, found) : null,
      labelMass: diagnostics.labelMass && found !== null ? labelMassOf(own, question.options.length) : null,
    };
  });
  const ofOneOrder = probabilities.map((found, index) => (orders[index] === 1 ? found : null));
  const units = probabilities.map((found) => found && roundProbabilities(found));
  const usage = { inputTokens, outputTokens: units.filter((found) => found !== null).length };
  return {
    json: FORMATS[format].response({
      build,
      calibration,
      questions,
      units,
      usage: { ...usage, cachedTokens },
      extras,
      task,
      probabilities: ofOneOrder,
    }),
    build,
    calibration,
    probabilities: ofOneOrder,
    usage,
    timing: { prepare: preparedMs, queue: queueMs, engine: computeMs },
    begun,
    isShared,
  };
}

/** The logits of each question, one array per order of its options; none for a question that was left out. */
function split(logits: PlanLogits, orders: readonly number[]): PlanLogits[] {
  let end = 0;
  return orders.map((count) => {
    end += count;
    return logits.slice(end - count, end);
  });
}
