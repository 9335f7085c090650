import { OperatorError, quantile } from '../../../src/base/index.js';
import { generatedRequests, type HttpTarget, type RequestSource } from '../../../src/load/index.js';

/** Requests of sixteen questions about a long state each, and how long their callers wait. */
const ABORTED = 32;
const PATIENCE_MS = 100;
const LONE_REQUESTS = 5;
const SEED = 7;

type Target = Pick<HttpTarget, 'post'>;

/**
 * How long a short request takes on an idle server, and how long right after many callers of long requests have left: their
 * work must not be in its way. Milliseconds.
 */
export async function measureAborts(target: Target, stop: AbortSignal) {
  const short = generatedRequests(SEED, 'short');
  const long = generatedRequests(SEED, 'one_state');
  const lone: number[] = [];
  for (let at = 0; at < LONE_REQUESTS; at++) lone.push(await timeOf(target, short, stop));
  const leaving = Array.from({ length: ABORTED }, async () => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]);
    return target.post(long.next().body, signal).then(
      () => 'answered',
      () => 'aborted',
    );
  });
  const ends = await Promise.all(leaving);
  const after: number[] = [];
  for (let at = 0; at < LONE_REQUESTS; at++) after.push(await timeOf(target, short, stop));
  return {
    aborted: ends.filter((end) => end === 'aborted').length,
    answered_before: ends.filter((end) => end === 'answered').length,
    lone_ms: quantile(lone, 0.5),
    first_after_ms: after[0],
    later_ms: quantile(after.slice(1), 0.5),
  };
}

async function timeOf(target: Target, requests: RequestSource, stop: AbortSignal): Promise<number> {
  const start = performance.now();
  const { status, text } = await target.post(requests.next().body, stop);
  if (status !== 200) throw new OperatorError(`a request was answered ${status}: ${text.slice(0, 200)}`);
  return performance.now() - start;
}
