import type { Rates } from './app.js';
import type { HeaderList } from './transport/types.js';

/**
 * The limits of a key and what is left of them, in the form that clients of other services know (contract 4.1). The
 * response's own request is counted. A reset is a duration in seconds, such as `59.25s`.
 */
export function rateHeaders({ limit, left, resetMs }: Rates): HeaderList {
  const reset = `${Math.ceil(resetMs) / 1_000}s`;
  return [
    ['X-RateLimit-Limit-Requests', String(limit.requests)],
    ['X-RateLimit-Remaining-Requests', String(left.requests)],
    ['X-RateLimit-Reset-Requests', reset],
    ['X-RateLimit-Limit-Bytes', String(limit.bytes)],
    ['X-RateLimit-Remaining-Bytes', String(left.bytes)],
    ['X-RateLimit-Reset-Bytes', reset],
  ];
}
