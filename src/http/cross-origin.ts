import { valuesOf } from './head.js';
import { readTarget, type Target } from './match.js';
import type { HeaderList, Incoming } from './transport/transport-types.js';

/** How long a browser may keep the response to a preflight; Chromium keeps none longer. */
const PREFLIGHT_SECONDS = 7_200;

/** Response headers that a page may read besides those that every page may. */
export const EXPOSED_HEADERS = [
  'Retry-After',
  'Server-Timing',
  'Service-Key-Expires',
  'Service-Key-Id',
  'X-RateLimit-Limit-Bytes',
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Bytes',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Bytes',
  'X-RateLimit-Reset-Requests',
  'X-Request-Id',
  'X-Should-Retry',
  'X-TypeSafe-Request-Id',
] as const;

/** `*` does not include `Authorization`. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Content-Encoding, Idempotency-Key, *';

/**
 * Lets pages of the listed origins call the API from a browser (CORS). A call has the token that the page sends, and never
 * what a browser would add by itself: credentials are not allowed. The web console is not a part of the API.
 */
export class CrossOrigin {
  private readonly origins: ReadonlySet<string>;

  /** @param origins such as `https://app.example.com`, as browsers write them */
  constructor(origins: readonly string[]) {
    this.origins = new Set(origins);
  }

  /** The headers of a response. `target`: undefined if the path does not exist. */
  headersFor(headers: HeaderList, target: Target | undefined): HeaderList {
    if (this.origins.size === 0 || isConsole(target)) return [];
    const origin = this.allowed(headers);
    if (origin === null) return [['Vary', 'Origin']];
    return [
      ['Vary', 'Origin'],
      ['Access-Control-Allow-Origin', origin],
      ['Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', ')],
    ];
  }

  /** The response to a preflight, without the headers of `headersFor`; null if the request is none that is allowed. */
  preflight({ method, headers, target }: Pick<Incoming, 'method' | 'headers' | 'target'>) {
    if (method !== 'OPTIONS' || valuesOf(headers, 'access-control-request-method').length === 0) return null;
    const found = readTarget(target);
    if (found === undefined || isConsole(found) || this.allowed(headers) === null) return null;
    const methods = found.routes.map((route) => route.method).join(', ');
    const allowed: HeaderList = [
      ['Access-Control-Allow-Methods', methods],
      ['Access-Control-Allow-Headers', ALLOWED_HEADERS],
      ['Access-Control-Max-Age', String(PREFLIGHT_SECONDS)],
    ];
    return { body: '', type: 'text/plain', headers: allowed };
  }

  /** The origin of a request if it is listed. */
  private allowed(headers: HeaderList): string | null {
    const [origin, second] = valuesOf(headers, 'origin');
    return origin !== undefined && second === undefined && this.origins.has(origin) ? origin : null;
  }
}

const isConsole = (target: Target | undefined): boolean =>
  target?.routes.some(({ name }) => name === 'console' || name === 'consoleFile') === true;
