// Steps of a part of the kit: each has a time limit, none depends on another one's success, and what a step has found so
// far is kept when it fails or takes too long.
import { setMaxListeners } from 'node:events';
import { type Clock, OperatorError } from '../../../src/base/index.js';

/** What a step may use. */
export interface StepContext {
  /** Aborted at the step's time limit. */
  readonly stop: AbortSignal;
  /** Milliseconds until then. */
  readonly limitMs: number;
  /** Keeps a partial result, in place of the one before. */
  keep(partial: unknown): void;
}

export interface Step {
  readonly name: string;
  /** Seconds at most. */
  readonly limit: number;
  /** Resolves with what is recorded as the result. */
  run(context: StepContext): Promise<unknown>;
}

/** What is recorded of a step. */
export interface StepResult {
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'timed out' | 'left out';
  readonly seconds: number;
  /** Why it is not `ok`. */
  readonly error?: string;
  /** Of a step that is not `ok`, what it had found until then. */
  readonly result?: unknown;
}

interface StepsOptions {
  /** Milliseconds from now on in which all steps must end. */
  readonly ms: number;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Ends the step that runs, as its time limit does, and leaves out the others. */
  readonly interrupted: AbortSignal;
  /** Called when a step begins, and with its result. */
  onStart(step: Step, limitMs: number): void;
  onEnd(result: StepResult): void;
}

/** A step does not begin with less time than this, in milliseconds. */
export const STEP_MS_MIN = 5_000;
/** What a step that ignores its signal gets before the next one begins, in milliseconds. */
const GRACE_MS = 3_000;

/** Runs steps one after another. Never rejects. */
export async function runSteps(
  steps: readonly Step[],
  { ms, clock, interrupted, onStart, onEnd }: StepsOptions,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const end = clock.monotonic() + ms;
  for (const step of steps) {
    const limitMs = Math.min(step.limit * 1_000, end - clock.monotonic());
    if (interrupted.aborted || limitMs < STEP_MS_MIN) {
      const error = interrupted.aborted ? 'the part was interrupted' : 'no time was left';
      results.push({ name: step.name, status: 'left out', seconds: 0, error });
    } else {
      onStart(step, limitMs);
      results.push(await runStep(step, limitMs, clock, interrupted));
    }
    onEnd(results.at(-1) as StepResult);
  }
  return results;
}

async function runStep(
  { name, run }: Step,
  limitMs: number,
  clock: StepsOptions['clock'],
  interrupted: AbortSignal,
): Promise<StepResult> {
  const ending = new AbortController();
  // Every command and every request of a step listens to it.
  setMaxListeners(0, ending.signal);
  const start = clock.monotonic();
  let kept: unknown;
  const keep = (partial: unknown) => {
    kept = partial;
  };
  const { over, clear } = limit(limitMs, ending, clock, interrupted);
  const done = run({ stop: ending.signal, limitMs, keep }).then(
    (result) => ({ result, error: null }),
    (error: unknown) => ({ result: kept, error: messageOf(error) }),
  );
  const { result, error } = (await Promise.race([done, over])) ?? { result: kept, error: null };
  clear();
  const seconds = Math.round((clock.monotonic() - start) / 100) / 10;
  if (!ending.signal.aborted && error === null) return { name, status: 'ok', seconds, result };
  const isLate = ending.signal.reason === LATE;
  const why = isLate ? `ended after ${Math.round(limitMs / 1_000)} s` : 'interrupted';
  return {
    name,
    status: isLate ? 'timed out' : 'failed',
    seconds,
    error: ending.signal.aborted ? `${why}: ${error ?? ''}` : (error as string),
    ...(result === undefined ? {} : { result }),
  };
}

/** The reason of an abort at a time limit. */
const LATE = new Error('the time limit of the step');

/** Aborts after a time or when the part is interrupted, and resolves with null a while later, for a step that does not notice. */
function limit(ms: number, ending: AbortController, clock: StepsOptions['clock'], interrupted: AbortSignal) {
  let resolveOver = (_: null) => {};
  const over = new Promise<null>((resolve) => {
    resolveOver = resolve;
  });
  let cancel = () => {};
  const end = (reason: Error) => {
    if (ending.signal.aborted) return;
    cancel();
    ending.abort(reason);
    cancel = clock.after(GRACE_MS, () => resolveOver(null));
  };
  const onInterrupt = () => end(new Error('the part was interrupted'));
  cancel = clock.after(ms, () => end(LATE));
  interrupted.addEventListener('abort', onInterrupt);
  const clear = () => {
    cancel();
    interrupted.removeEventListener('abort', onInterrupt);
  };
  return { over, clear };
}

/** A sentence, with the end of the output if it is that of a command. */
const messageOf = (error: unknown): string =>
  error instanceof OperatorError ? error.message : ((error as Error)?.stack ?? String(error));
