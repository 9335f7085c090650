import { ApiError } from '../api/index.js';
import type { Engine } from '../engine/index.js';
import { answer, responseJson } from './answers/index.js';
import type { PrepareResult, PrepareTask } from './prepare.js';

/** The two calls a decision makes out of this room. */
export interface DecideCalls {
  /** Runs `prepare` on another thread. */
  prepare(task: PrepareTask): Promise<PrepareResult>;
  /** The engine of a build; undefined while it is not there. */
  engine(build: string): Pick<Engine, 'run'> | undefined;
}

/**
 * Answers one request: the JSON text of contract 2.4. Rejects with ApiError, or with the engine's error, or
 * with the signal's reason where the caller went away.
 */
export async function decide(task: PrepareTask, calls: DecideCalls, signal: AbortSignal): Promise<string> {
  const prepared = await calls.prepare(task);
  if (!prepared.ok) throw new ApiError(prepared.type, prepared.message);
  const { build, plan, questions, temperatures, inputTokens } = prepared;
  const engine = calls.engine(build);
  if (engine === undefined) {
    throw new ApiError('model_unavailable', `The model ${build} is not ready.`, { retryAfterSeconds: 1 });
  }
  const { logits } = await engine.run(plan, signal);
  const answers = questions.map((question, index) =>
    answer(question, logits[index] as Float32Array, temperatures[index] as number),
  );
  return responseJson(build, questions, answers, { inputTokens, outputTokens: answers.length });
}
