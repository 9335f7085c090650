import {
  connectionFailure,
  isDecisionsPath,
  isRefusedPort,
  patientFetch,
  printable,
  REFUSED_PORT,
  readEndpoint,
  requireToken,
} from '../../base/index.js';
import { usualTimeLimit } from '../../client/index.js';
import { decisionsBody, fromDecisions } from '../../decide/index.js';
import type { Outcome, OutcomeError } from '../archive.js';
import { type Busy, isTemporary, type Target } from './target.js';

/** How long a response to a request of few prompts may take. */
const TIMEOUT_MS = 300_000;
/** The largest response: 16 questions of 26 options need a tenth of it. */
const RESPONSE_BYTES_MAX = 4 << 20;
const TOO_LARGE = `the response is larger than ${RESPONSE_BYTES_MAX} bytes`;
/** A longer wait is a failure. */
const RETRY_AFTER_SECONDS_MAX = 600;
/** Errors of making a connection or of its certificate: no request has reached the server. */
const UNREACHABLE =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|UNABLE_TO_\w+|ERR_(TLS|SSL)_\w+|\w*CERT\w*)$/;

interface ServerOptions {
  readonly url: string;
  /** Path of the decision endpoint. */
  readonly path: string;
  /** Null: no `Authorization` header. */
  readonly token: string | null;
  readonly concurrency: number;
}

/**
 * Any server with the System One interface, or the Decisions API at a path that ends with `/v1/decisions`. Each request is sent once;
 * redirects are not followed. Throws OperatorError.
 */
export function serverTarget({ url, path, token, concurrency }: ServerOptions): Target {
  const address = readEndpoint(url, path);
  if (token !== null) requireToken(token);
  const hasDecisions = isDecisionsPath(address);
  const patient = patientFetch();
  const headers = {
    'content-type': 'application/json',
    'service-raw-probabilities': 'true',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  return {
    description: { kind: 'server', url: address.href, concurrency },
    concurrency,
    async ask(request, rotations) {
      const body = hasDecisions ? decisionsBody(Buffer.from(request)) : request;
      const timeoutMs = timeLimitOf(request, rotations);
      const signal = AbortSignal.timeout(timeoutMs);
      const own = rotations === 1 ? headers : { ...headers, 'service-option-rotations': String(rotations) };
      try {
        const response = await (await patient)(address, {
          method: 'POST',
          headers: own,
          body,
          signal,
          redirect: 'manual',
        });
        const text = await readBody(response);
        return text === null ? badAnswer(response, TOO_LARGE) : outcomeOf(response, text, hasDecisions);
      } catch (error) {
        return { error: networkError(error, timeoutMs) };
      }
    },
    async close() {},
  };
}

/**
 * How long the response to a request may take, in milliseconds: the time of a server grows with the prompts.
 *
 * @param request a valid body as JSON
 * @param rotations the orders in which each `choice` is asked at most
 */
export function timeLimitOf(request: string, rotations: number): number {
  const { questions } = JSON.parse(request) as { questions: object };
  const prompts = Object.keys(questions).length * rotations;
  return TIMEOUT_MS + usualTimeLimit(prompts) - usualTimeLimit(1);
}

/** Null if it is too large. */
async function readBody(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const badAnswer = ({ status }: Response, message: string): Outcome => ({
  error: { status, type: 'bad_answer', message, temporary: false },
});

function outcomeOf(response: Response, text: string, hasDecisions: boolean): Outcome | Busy {
  const { status, headers } = response;
  const json = parse(text);
  if (status === 200) {
    if (json === null) return badAnswer(response, 'the response is not a JSON object');
    const { model, answers, usage } = hasDecisions ? fromDecisions(json) : json;
    return { response: { model, answers, usage } };
  }
  const error = errorOf(status, json, text);
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
  // A 503 without an error of the server is from a proxy, which may have lost an answer that was charged.
  const isRefusal = status === 429 || (status === 503 && typeOf(json) !== null);
  const waits = isRefusal && retryAfterSeconds <= RETRY_AFTER_SECONDS_MAX;
  return waits ? { busy: error, retryAfterSeconds: Math.max(0, retryAfterSeconds) } : { error };
}

/** The type of an error of contract 2.9 or of OpenAI; null for what else a proxy sends. */
function typeOf(json: Record<string, unknown> | null): string | null {
  const { error, type } = json ?? {};
  const name = typeof error === 'string' ? type : (Object(error) as Record<string, unknown>).code;
  return typeof name === 'string' ? name : null;
}

/** The error body of contract 2.9 or of OpenAI, or whatever else a server or a proxy sends. */
function errorOf(status: number, json: Record<string, unknown> | null, text: string): OutcomeError {
  const sentence = (Object(json?.error) as Record<string, unknown>).message ?? json?.error;
  const type = printable(typeOf(json) ?? `status ${status}`);
  const message = printable(typeof sentence === 'string' ? sentence : text);
  return { status, type, message, temporary: isTemporary(status) };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** `fetch` hides the reason in `cause`. */
function networkError(error: unknown, timeoutMs: number): OutcomeError {
  const { message, cause, name } = error as Error;
  const failed = (type: string, reason: string) => ({ status: null, type, message: reason, temporary: true });
  if (name === 'TimeoutError') return failed('network', `no response within ${timeoutMs / 1_000} seconds`);
  if (isRefusedPort(error)) return failed('unreachable', `the URL has ${REFUSED_PORT}`);
  if (!(cause instanceof Error)) return failed('network', message);
  const { code = '' } = cause as NodeJS.ErrnoException;
  return failed(
    UNREACHABLE.test(code) ? 'unreachable' : 'network',
    connectionFailure(code) ?? (cause.message || code),
  );
}
