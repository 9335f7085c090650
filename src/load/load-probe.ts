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

/** What a probe needs from its surroundings. */
interface ProbeContext {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Of each request. */
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
}

/**
 * Whether the longest of the generated requests fit the context window of the model. Throws OperatorError as `probeServer`
 * does. Resolves with null if it is stopped.
 */
export async function takesLongRequests(
  target: Pick<HttpTarget, 'post'>,
  url: URL,
  requests: RequestSource,
  context: ProbeContext,
): Promise<boolean | null> {
  const reply = await ask(target, url, requests.next().body, context);
  if (reply === null) return null;
  // The requests are valid, so nothing but their length can be refused so.
  if (reply.status === 422) return false;
  requireAnswer(url, reply);
  const outcome = outcomeOf(reply);
  return outcome.answered && outcome.decisions > 0;
}

/**
 * Sends a few requests one after another. Throws OperatorError if the server does not answer every one of them. Resolves
 * with null if it is stopped.
 */
export async function probeServer(
  target: Pick<HttpTarget, 'post'>,
  url: URL,
  requests: RequestSource,
  context: ProbeContext,
): Promise<Probe | null> {
  let model: unknown;
  const latencies: number[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    const start = context.clock.monotonic();
    const reply = await ask(target, url, requests.next().body, context);
    if (reply === null) return null;
    latencies.push(context.clock.monotonic() - start);
    requireAnswer(url, reply);
    model = parse(reply.text)?.model;
  }
  latencies.sort((one, other) => one - other);
  return {
    model: typeof model === 'string' ? printable(model) : null,
    lone_ms: latencies[REQUESTS >> 1] as number,
  };
}

/** Null if it is stopped. */
async function ask(
  target: Pick<HttpTarget, 'post'>,
  url: URL,
  body: Buffer,
  { timeoutMs, stop }: ProbeContext,
): Promise<Reply | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
  try {
    return await target.post(body, signal);
  } catch (error) {
    if (stop.aborted) return null;
    throw new OperatorError(
      signal.aborted
        ? `url: ${url.origin} cannot be reached (no response within ${timeoutMs / 1_000} s). Check the address, or give a longer --timeout.`
        : unreachable(url.origin, error),
    );
  }
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
  const remedy = status === 422 ? ' Give --shape short, or other requests with --cases.' : '';
  throw new OperatorError(`${url.href} refused the first request (${status} ${type})${text}${remedy}`);
}
