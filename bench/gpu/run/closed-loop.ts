// A number of callers, each of which sends its next request when the last one is answered.
import { type Clock, quantile } from '../../../src/base/index.js';
import type { Outcome, RequestSource, Send } from '../../../src/load/index.js';

export interface LoopOptions {
  readonly callers: number;
  /** Milliseconds that are measured, and before them milliseconds that are not. */
  readonly ms: number;
  readonly warmUpMs: number;
  readonly stop: AbortSignal;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
}

/** What so many callers got. Latencies in milliseconds, of requests that ended in the measured time. */
export interface LoopResult {
  readonly callers: number;
  readonly answered: number;
  /** Requests that were refused or not answered, by their cause. */
  readonly failed: Readonly<Record<string, number>>;
  readonly requests_per_second: number;
  readonly decisions_per_second: number;
  readonly tokens_per_second: number;
  /** Null without an answer. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly max_ms: number | null;
}

/** A caller whose request fails waits so long before its next one, so that refusals do not fill the measurement. */
const AFTER_FAILURE_MS = 100;

/** Runs callers until the time is over; requests in progress then are aborted. */
export async function runCallers(
  send: Send,
  requests: RequestSource,
  { callers, ms, warmUpMs, stop, clock }: LoopOptions,
): Promise<LoopResult> {
  const now = () => clock.monotonic();
  const from = now() + warmUpMs;
  const until = from + ms;
  const ending = new AbortController();
  const cancel = clock.after(warmUpMs + ms, () => ending.abort());
  const signal = AbortSignal.any([stop, ending.signal]);
  const latencies: number[] = [];
  const failed: Record<string, number> = {};
  let [decisions, tokens] = [0, 0];
  const count = (outcome: Outcome, start: number) => {
    if (now() <= from || now() > until || signal.aborted) return;
    if (outcome.answered) {
      latencies.push(now() - start);
      decisions += outcome.decisions;
      tokens += outcome.inputTokens;
    } else {
      const cause = outcome.status === null ? outcome.type : `${outcome.status} ${outcome.type}`;
      failed[cause] = (failed[cause] ?? 0) + 1;
    }
  };
  const caller = async () => {
    while (!signal.aborted) {
      const start = now();
      const outcome = await send(requests.next(), signal);
      count(outcome, start);
      if (!outcome.answered && !signal.aborted) await pause(clock, AFTER_FAILURE_MS);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  cancel();
  const perSecond = (value: number) => rounded((value * 1_000) / ms);
  const at = (part: number) => (latencies.length === 0 ? null : rounded(quantile(latencies, part)));
  return {
    callers,
    answered: latencies.length,
    failed,
    requests_per_second: perSecond(latencies.length),
    decisions_per_second: perSecond(decisions),
    tokens_per_second: perSecond(tokens),
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    max_ms: at(1),
  };
}

const pause = (clock: LoopOptions['clock'], ms: number) =>
  new Promise<void>((resolve) => void clock.after(ms, resolve));

const rounded = (value: number) => Number(value.toPrecision(4));
