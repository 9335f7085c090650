import { DeciderError, type DeciderErrorType, type LabelCount, type LineError } from './client-error.js';
import { readText } from './response-body.js';

/** Bytes of an error response that are read: those of the server are far smaller. */
const ERROR_BYTES_MAX = 1024 * 1024;

/** Statuses after which the same request may succeed later (docs/errors.md); 520 to 524 are those of a CDN. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);
/** With a body of the server: it sends 502 as `outcome_unknown`. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([502, 504]);
/** A status from here on without a body of the server is from a proxy, which may have lost the response. */
const FAULT_STATUS_MIN = 500;

/** Whether a request that got this status may succeed later. */
export const isTemporaryStatus = (status: number): boolean => TEMPORARY.has(status);

/** The error of a response (contract 2.9); a proxy may have sent anything else. `now`: in milliseconds since 1970. */
export async function errorOfResponse(response: Response, now: number): Promise<DeciderError> {
  const { status, headers } = response;
  const { error, type, errors, invalid_lines, questions, field } = ownForm(await readBody(response));
  const isOwn = typeof error === 'string' && typeof type === 'string';
  const facts = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: readRetryAfter(headers.get('retry-after'), now),
    outcomeUnknown: UNKNOWN_OUTCOME.has(status) || (!isOwn && status >= FAULT_STATUS_MIN),
    isTemporary: isTemporaryStatus(status) && headers.get('x-should-retry') !== 'false',
  };
  if (!isOwn) return new DeciderError('unknown', messageOf(response), facts);
  return new DeciderError(type as DeciderErrorType, error, {
    ...facts,
    ...(Array.isArray(errors) && { lines: errors.filter(isLineError) }),
    ...(typeof invalid_lines === 'number' && { invalidLines: invalid_lines }),
    ...(isRecord(questions) && { questions: countsOf(questions) }),
    ...(typeof field === 'string' && { field }),
  });
}

/** `/v1/decisions` sends OpenAI's form: `error` is an object, whose `code` is the type and whose `param` is the place. */
function ownForm(body: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(body.error)) return body;
  const { message, code, param } = body.error;
  return { error: message, type: code, field: param };
}

function messageOf({ status, type }: Response): string {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return 'The response is a redirect, which is not followed. Use the address that it leads to.';
  }
  return `The server, or a proxy before it, answered with status ${status}.`;
}

async function readBody(response: Response): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readText(response, ERROR_BYTES_MAX));
    return isRecord(value) ? value : {};
  } catch {
    // The status says enough.
    return {};
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isLineError = (value: unknown): value is LineError =>
  isRecord(value) &&
  typeof value.line === 'number' &&
  typeof value.type === 'string' &&
  typeof value.error === 'string';

/** The questions of `too_few_labels`, without what does not fit. */
function countsOf(questions: Record<string, unknown>): Record<string, LabelCount> {
  const isCount = (value: unknown) =>
    isRecord(value) && typeof value.labels === 'number' && typeof value.needed === 'number';
  return Object.fromEntries(Object.entries(questions).filter(([, value]) => isCount(value))) as Record<
    string,
    LabelCount
  >;
}

/** The two forms of an HTTP date that begin with the short name of a day; that of C's `asctime` names no zone. */
const DATE = /^[A-Z][a-z]+, /;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** `Retry-After` in seconds, of whole seconds or of an HTTP date, as proxies send it; null if there is none. */
function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d+\s*$/.test(value)) return Number(value);
  const date = dateOf(value.trim());
  return Number.isNaN(date) ? null : Math.max(0, (date - now) / 1_000);
}

/** Milliseconds since 1970; NaN for what is no HTTP date. `Date.parse` alone also reads `-1`. */
function dateOf(value: string): number {
  if (ASCTIME.test(value)) return Date.parse(`${value} GMT`);
  return DATE.test(value) ? Date.parse(value) : Number.NaN;
}
