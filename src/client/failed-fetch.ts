import { DeciderError } from './client-error.js';

/** Depth of causes that is searched. */
const CAUSES_MAX = 8;
/** Calls of the system that precede the request. */
const BEFORE: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
/** Codes of Node's TLS and of undici for a connection that was not made. */
const NOT_CONNECTED =
  /^(UND_ERR_CONNECT_TIMEOUT|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/;

interface Fault {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly message?: unknown;
}

/**
 * The error of a `fetch` that was rejected. Only Node tells whether a connection was made; a browser does not, so that
 * there the outcome counts as unknown.
 */
export function failedFetch(error: unknown, url: URL): DeciderError {
  const faults = faultsOf(error);
  const code = faults.map((fault) => fault.code).findLast((each) => typeof each === 'string');
  const named = typeof code === 'string' ? ` (${code})` : '';
  const refused = faults.some(({ syscall }) => BEFORE.has(syscall));
  if (refused || faults.some(isBeforeRequest)) {
    const message = `${url.origin} cannot be reached${named}; nothing was sent.`;
    return new DeciderError('unreachable', message, {
      isTemporary: refused || isTimeout(code),
      cause: error,
    });
  }
  return lostConnection(error, `The connection to ${url.origin} failed${named} before the response.`);
}

/** A connection that failed when the request may have been sent. */
export const lostConnection = (error: unknown, message: string): DeciderError =>
  new DeciderError('connection_lost', message, { outcomeUnknown: true, isTemporary: true, cause: error });

const isTimeout = (code: unknown): boolean => code === 'UND_ERR_CONNECT_TIMEOUT';

/** `bad port`: `fetch` sends nothing to the ports of other protocols. */
const isBeforeRequest = ({ code, message }: Fault): boolean =>
  (typeof code === 'string' && NOT_CONNECTED.test(code)) || message === 'bad port';

/** An error and its causes; of several addresses that were tried, the first. */
function faultsOf(error: unknown): Fault[] {
  const faults: Fault[] = [];
  let inner = error;
  while (typeof inner === 'object' && inner !== null && faults.length < CAUSES_MAX) {
    const fault: Fault = inner;
    faults.push(fault);
    inner = fault.cause ?? (Array.isArray(fault.errors) ? fault.errors[0] : undefined);
  }
  return faults;
}
