import type { Reservation } from '../access/index.js';
import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { Engine } from '../engine/index.js';
import { answer, responseJson } from './answers/index.js';
import type { PrepareResult } from './prepare.js';
import type { SentTask } from './prepare-sent.js';

/** A decision, answered. */
export interface Decision {
  /** The JSON text of contract 2.4. */
  readonly json: string;
  /** The build that answered. */
  readonly build: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** Where its time went, in milliseconds. */
  readonly timing: { readonly prepare: number; readonly queue: number; readonly engine: number };
}

/** The calls a decision makes out of this room. */
export interface DecideDependencies {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Runs `prepareSent` on another thread. */
  prepare(task: SentTask): Promise<PrepareResult>;
  /** The engine of a build; undefined while it is not there. */
  engine(build: string): Pick<Engine, 'run'> | undefined;
  /** Sets aside what the answer of a build costs. Throws ApiError where the caller cannot pay. */
  reserve(build: string, inputTokens: number): Reservation;
}

/**
 * Answers one request; it is paid for when there is an answer, and not before. Rejects with ApiError, or with the
 * engine's error, or with the signal's reason where the caller went away.
 */
export async function decide(
  task: SentTask,
  dependencies: DecideDependencies,
  signal: AbortSignal,
): Promise<Decision> {
  signal.throwIfAborted();
  const started = dependencies.clock.monotonic();
  const prepared = await dependencies.prepare(task);
  if (!prepared.ok) throw new ApiError(prepared.type, prepared.message);
  const { build, inputTokens } = prepared;
  const engine = dependencies.engine(build);
  if (engine === undefined) {
    throw new ApiError('model_unavailable', `The model ${build} is not ready.`, { retryAfterSeconds: 1 });
  }
  const reservation = dependencies.reserve(build, inputTokens);
  let decision: Decision;
  try {
    const preparedMs = dependencies.clock.monotonic() - started;
    decision = await run(prepared, engine, preparedMs, signal);
  } catch (error) {
    reservation.release();
    throw error;
  }
  reservation.post();
  return decision;
}

async function run(
  { build, plan, questions, temperatures, inputTokens }: Extract<PrepareResult, { ok: true }>,
  engine: Pick<Engine, 'run'>,
  preparedMs: number,
  signal: AbortSignal,
): Promise<Decision> {
  const { logits, queueMs, computeMs } = await engine.run(plan, signal);
  const answers = questions.map((question, index) =>
    answer(question, logits[index] as Float32Array, temperatures[index] as number),
  );
  const usage = { inputTokens, outputTokens: answers.length };
  return {
    json: responseJson(build, questions, answers, usage),
    build,
    usage,
    timing: { prepare: preparedMs, queue: queueMs, engine: computeMs },
  };
}
