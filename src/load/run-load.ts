import { type Clock, random } from '../base/index.js';
import { poissonArrivals } from './arrivals.js';
import type { ClientUse } from './client-use.js';
import { clientWarnings } from './client-warnings.js';
import { type Found, findRate } from './find.js';
import { Step } from './load-step.js';
import { type LatencyTarget, secondsFor } from './load-target.js';
import type { RequestSource, Send } from './load-types.js';
import type { StepResult } from './result.js';

/** No generator of one thread gets there. */
export const RATE_MAX = 100_000;
/** Arrivals of one step, which are drawn before it starts. */
export const ARRIVALS_MAX = 5_000_000;

/** What all steps of a run have in common. */
export interface LoadPlan {
  readonly seed: number;
  readonly warmUpSeconds: number;
  /** Seconds per step; steps of a search may need more. */
  readonly seconds: number;
  readonly connections: number;
  readonly timeoutMs: number;
}

export interface LoadDependencies {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly requests: RequestSource;
  readonly send: Send;
  readonly stop: AbortSignal;
  readonly watchClient: () => () => ClientUse;
  /** Called at the start and the end of each step. */
  readonly onStart: (rate: number, step: Step, seconds: number) => void;
  readonly onEnd: (result: StepResult) => void;
}

/** Measures the rates one after another, until `stop`. */
export async function runRates(
  rates: readonly number[],
  plan: LoadPlan,
  dependencies: LoadDependencies,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const rate of rates) {
    if (dependencies.stop.aborted) break;
    results.push(await runStep(rate, results.length, plan, dependencies));
  }
  return results;
}

/**
 * Searches for the highest rate that meets the target, beginning with `first`.
 *
 * @param endsAt milliseconds of the monotonic clock at which the search ends with what it has found: no step begins that
 *   would take longer, and one that waits for late responses is cut off
 */
export async function runSearch(
  target: LatencyTarget,
  first: number,
  plan: LoadPlan,
  dependencies: LoadDependencies,
  endsAt = Number.POSITIVE_INFINITY,
): Promise<{ steps: StepResult[]; found: Found }> {
  const { clock, stop } = dependencies;
  const steps: StepResult[] = [];
  const longest = plan.warmUpSeconds + Math.max(plan.seconds, secondsFor(target, RATE_MAX));
  const rateMax = Math.min(RATE_MAX, ARRIVALS_MAX / longest);
  const over = new AbortController();
  const limit = { ...dependencies, stop: AbortSignal.any([stop, over.signal]) };
  const cancel =
    endsAt === Number.POSITIVE_INFINITY
      ? () => {}
      : clock.after(endsAt - clock.monotonic(), () => over.abort());
  const found = await findRate(first, rateMax, async (rate) => {
    if (stop.aborted) return 'interrupted';
    const seconds = Math.max(plan.seconds, secondsFor(target, rate));
    if (clock.monotonic() + stepSeconds(target, rate, plan) * 1_000 > endsAt) return 'time';
    const result = await runStep(rate, steps.length, { ...plan, seconds }, limit, target);
    steps.push(result);
    if (result.ended === 'interrupted') return stop.aborted ? 'interrupted' : 'time';
    return result.ended === 'complete';
  });
  cancel();
  return { steps, found };
}

/** Seconds that a step takes, without late responses. */
export const stepSeconds = (target: LatencyTarget, rate: number, plan: LoadPlan): number =>
  plan.warmUpSeconds + Math.max(plan.seconds, secondsFor(target, rate));

async function runStep(
  rate: number,
  index: number,
  { seed, warmUpSeconds, seconds, connections, timeoutMs }: LoadPlan,
  { clock, requests, send, stop, watchClient, onStart, onEnd }: LoadDependencies,
  target?: LatencyTarget,
): Promise<StepResult> {
  const arrivals = poissonArrivals(rate, warmUpSeconds + seconds, random(seed + index));
  const measured = watchClient();
  const step = new Step(
    { arrivals, warmUpSeconds, seconds, connections, timeoutMs, target },
    { clock, requests, send, stop },
  );
  onStart(rate, step, warmUpSeconds + seconds);
  await step.finished;
  const { recorder } = step;
  const { latencies, dispatchDelays, completed, answered, failed, waited } = recorder;
  const perSecond = (count: number) => (recorder.seconds > 0 ? count / recorder.seconds : 0);
  const client = { ...measured(), dispatch_delay_ms: dispatchDelays.summary() };
  const counts = {
    answered,
    failed,
    latency_ms: latencies.summary(),
    waited_for_connection: waited,
    client,
  };
  const result: StepResult = {
    rate,
    warm_up_seconds: warmUpSeconds,
    seconds: recorder.seconds,
    ended: stop.aborted ? 'interrupted' : step.missedTarget ? 'missed_target' : 'complete',
    ...counts,
    answered_per_second: perSecond(completed.requests),
    decisions_per_second: perSecond(completed.decisions),
    input_tokens_per_second: perSecond(completed.inputTokens),
    latency_ms_by_shape: recorder.shapes(),
    errors: recorder.errors(),
    warnings: clientWarnings(counts, connections),
  };
  onEnd(result);
  return result;
}
