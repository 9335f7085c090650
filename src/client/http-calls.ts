import { AttemptDeadline } from './attempt-deadline.js';
import { DeciderError } from './client-error.js';
import { type ClientRuntime, pause } from './client-runtime.js';
import { errorOfResponse } from './error-response.js';
import { failedFetch, lostConnection } from './failed-fetch.js';
import { requireCount, requireMilliseconds } from './number-options.js';
import { type Repeatable, waitBeforeRetry } from './repeat-rules.js';
import { readText } from './response-body.js';
import { usualTimeLimit } from './time-limit.js';

/** Bytes of a JSON response; the largest answer to a request of 32 MiB is smaller. */
const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** Retries of a call, unless the caller says otherwise. */
const RETRIES = 2;

export interface CallSettings {
  /** The address of the server: `https://decider.example`. */
  readonly url: string;
  /** The token of a key. */
  readonly token: string | null;
  /** How often a call is sent again at most; a whole number. */
  readonly retries?: number | undefined;
  /**
   * The time limit of an attempt, and of each pause of a response that streams, in milliseconds, 1 to 2,147,483,647. If absent,
   * 150 seconds, and 60 more for every further 16 questions, once for each order of their options.
   */
  readonly timeoutMs?: number | undefined;
}

/** What a request can carry: all of it has a known length, which the server requires. */
export type RequestContent = string | Blob | FormData;

export interface HttpCall {
  /** Relative to the address, without a slash in front. */
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: RequestContent | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly repeatable: Repeatable;
  /** A field that every response has; absent: the caller looks itself. */
  readonly has?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Prompts that the server computes for it, at most; 1 if absent. */
  readonly prompts?: number | undefined;
}

/** About the HTTP exchange of a call. */
export interface ResponseInfo {
  /** The id of the call in the log of the server. */
  readonly requestId: string | null;
  readonly headers: Headers;
  /** How often the call was sent. */
  readonly attempts: number;
}

/** A response whose body has not been read, and the deadline that ends when it has. */
export interface OpenResponse {
  readonly response: Response;
  readonly deadline: AttemptDeadline;
  /** What a failure of the body means: the reason of the caller's signal, or a DeciderError. */
  failure(error: unknown): unknown;
}

/** Calls of one server. Rejects with DeciderError, or with the reason of the caller's signal. */
export class HttpCalls {
  readonly #token: string | null;
  private readonly base: URL;
  readonly retries: number;
  private readonly timeoutMs: number | undefined;

  /** Throws TypeError for settings that cannot be used. The address and the token are not quoted: both may be secret. */
  constructor(
    { url, token, retries = RETRIES, timeoutMs }: CallSettings,
    readonly runtime: ClientRuntime,
  ) {
    const base = URL.canParse(url) ? new URL(url) : null;
    if (base === null || !/^https?:$/.test(base.protocol))
      throw new TypeError('url: not an http or https URL.');
    if (base.username !== '' || base.password !== '')
      throw new TypeError('url: must not have a user or a password.');
    if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
      throw new TypeError('token: must be printable ASCII characters without spaces.');
    }
    requireCount('retries', retries);
    if (timeoutMs !== undefined) requireMilliseconds('timeoutMs', timeoutMs, 1);
    this.base = new URL(base.pathname.replace(/\/*$/, '/'), base);
    this.#token = token;
    this.retries = retries;
    this.timeoutMs = timeoutMs;
  }

  /** Sends a call until it is answered or must not be sent again, and reads the response as JSON. */
  async json<Body>(call: HttpCall): Promise<{ readonly body: Body; readonly info: ResponseInfo }> {
    return this.repeat(call, async (attempts) => {
      const { response, deadline, failure } = await this.open(call);
      try {
        const body = parsed<Body>(await readText(response, RESPONSE_BYTES_MAX), call.has);
        const { headers } = response;
        return { body, info: { requestId: headers.get('x-request-id'), headers, attempts } };
      } catch (error) {
        throw failure(error);
      } finally {
        deadline.end();
      }
    });
  }

  /** Sends a call once. The deadline stays until the caller has read the body and ended it. */
  async open(call: HttpCall): Promise<OpenResponse> {
    const { path, signal, prompts = 1 } = call;
    signal?.throwIfAborted();
    const url = new URL(path, this.base);
    const timeoutMs = this.timeoutMs ?? usualTimeLimit(prompts);
    const deadline = new AttemptDeadline(this.runtime, timeoutMs, signal);
    const failure = (error: unknown, otherwise = brokenBody): unknown => {
      if (signal?.aborted) return signal.reason;
      return deadline.timedOut ? timeout(timeoutMs, error) : otherwise(error, url);
    };
    try {
      const response = await this.runtime
        .fetch(url, this.initOf(call, deadline.signal))
        .catch((error: unknown) => Promise.reject(failure(error, failedFetch)));
      if (response.ok) return { response, deadline, failure };
      const refusal = await errorOfResponse(response, this.runtime.now());
      throw signal?.aborted ? signal.reason : refusal;
    } catch (error) {
      deadline.end();
      throw error;
    }
  }

  /** Runs `attempt`, again after a failure if the call may be sent again. */
  async repeat<Result>(
    { repeatable, signal }: Pick<HttpCall, 'repeatable' | 'signal'>,
    attempt: (attempts: number) => Promise<Result>,
  ): Promise<Result> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(attempts);
      } catch (error) {
        const wait = waitBeforeRetry(error, repeatable, attempts, this.runtime.random());
        if (wait === null || attempts > this.retries) throw error;
        await pause(this.runtime, wait, signal);
      }
    }
  }

  private initOf({ method = 'GET', body, headers }: HttpCall, signal: AbortSignal): RequestInit {
    return {
      method,
      // Throws TypeError for a value that a header cannot have: before `fetch`, whose own errors concern the connection.
      headers: new Headers({
        ...headers,
        ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
      }),
      ...(body !== undefined && { body }),
      signal,
      credentials: 'omit',
      // Only the types of browsers have this field.
      ...{ cache: 'no-store' as const },
      // A redirect could lead a token or a decision somewhere else.
      redirect: 'manual',
    };
  }
}

/** A JSON object. Throws SyntaxError if it is something else, or lacks a field. */
function parsed<Body>(text: string, field: string | undefined): Body {
  const value: unknown = JSON.parse(text);
  const fits =
    field === undefined || (typeof value === 'object' && value !== null && Object.hasOwn(value, field));
  if (!fits) throw new SyntaxError(`The response has no field ${field}.`);
  return value as Body;
}

const timeout = (ms: number, cause: unknown): DeciderError =>
  new DeciderError('timeout', `The response did not come within ${ms / 1_000} seconds.`, {
    outcomeUnknown: true,
    isTemporary: true,
    cause,
  });

function brokenBody(error: unknown, url: URL): DeciderError {
  if (error instanceof SyntaxError || error instanceof RangeError) {
    const message = `The response of ${url.origin} is not what this interface sends.`;
    return new DeciderError('invalid_response', message, {
      outcomeUnknown: true,
      isTemporary: true,
      cause: error,
    });
  }
  return lostConnection(error, `The connection to ${url.origin} was lost within the response.`);
}
