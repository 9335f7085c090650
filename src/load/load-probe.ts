import { type Clock, OperatorError, printable, unreachable } from '../base/index.js';
import { type HttpTarget, outcomeOf, parse, type Reply } from './http-target.js';
import type { RequestSource } from './load-types.js';

const REQUESTS = 5;

/** A server that answers, before any load. */
export interface Probe {
  /** The build that answered; null if the response names none. */
  readonly model: string | null;
  /** Median latency of a few requests, one after another. */
  readonly lone_ms: number;
}

/**
 * Sends a few requests one after another. Throws OperatorError if the server does not answer every one of them. Resolves
 * with null if it is stopped.
 */
export async function probeServer(
  target: Pick<HttpTarget, 'post'>,
  url: URL,
  requests: RequestSource,
  { clock, timeoutMs, stop }: { clock: Pick<Clock, 'monotonic'>; timeoutMs: number; stop: AbortSignal },
): Promise<Probe | null> {
  let model: unknown;
  const latencies: number[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    const start = clock.monotonic();
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
    const reply = await target.post(requests.next().body, signal).catch((error: unknown) => {
      if (stop.aborted) return null;
      throw new OperatorError(
        signal.aborted
          ? `url: ${url.origin} cannot be reached (no response within ${timeoutMs / 1_000} s). Check the address, or give a longer --timeout.`
          : unreachable(url.origin, error),
      );
    });
    if (reply === null) return null;
    latencies.push(clock.monotonic() - start);
    requireAnswer(url, reply);
    model = parse(reply.text)?.model;
  }
  latencies.sort((one, other) => one - other);
  return {
    model: typeof model === 'string' ? printable(model) : null,
    lone_ms: latencies[REQUESTS >> 1] as number,
  };
}

function requireAnswer(url: URL, reply: Reply): void {
  const outcome = outcomeOf(reply);
  if (outcome.answered) return;
  const { status, type } = outcome;
  if (status === 401)
    throw new OperatorError(
      'token: the server does not accept it (401). Give --token, or set DECIDER_TOKEN.',
    );
  if (status === 404 && type !== 'model_not_found')
    throw new OperatorError(
      `path: ${url.origin} has no ${url.pathname} (404). Give the path of its decisions: --path.`,
    );
  if (type === 'invalid_response')
    throw new OperatorError(`url: ${url.href} is not a server of decisions: its response has no answers.`);
  const error = parse(reply.text)?.error;
  const message = (Object(error) as { message?: unknown }).message ?? error;
  const text = typeof message === 'string' ? `: ${printable(message)}` : '';
  throw new OperatorError(`${url.href} refused the first request (${status} ${type})${text}`);
}
