import { ApiError, LIMITS } from '../api/index.js';
import type { ListPage } from './app.js';

// Parameters of the query of a request target. Parameters that the path does not define are ignored.

/** `limit` and `after` of a list (contract 4.6 rule 9). Throws `invalid_request`. */
export function readPage(target: string): ListPage {
  const query = queryOf(target);
  return { limit: readWhole(query, 'limit', LIMITS.batchesListed), after: readOne(query, 'after') };
}

/** `days` of the usage of a key (contract 4.10 rule 1). Throws `invalid_request`. */
export function readDays(target: string): number {
  return readWhole(queryOf(target), 'days', LIMITS.usageDays) ?? LIMITS.usageDaysDefault;
}

function queryOf(target: string): URLSearchParams {
  const at = target.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
}

/** A parameter that is an integer from 1 to `max`; null if it is not given. */
function readWhole(query: URLSearchParams, name: string, max: number): number | null {
  const text = readOne(query, name);
  if (text === null) return null;
  const value = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new ApiError('invalid_request', `\`${name}\` must be an integer from 1 to ${max}.`);
}

function readOne(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  if (values.length > 1) throw new ApiError('invalid_request', `\`${name}\` may be given only once.`);
  return values[0] ?? null;
}
