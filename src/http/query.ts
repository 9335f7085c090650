import { ApiError, LIMITS } from '../api/index.js';
import type { ListPage } from './app.js';

/** The parameters of a target; those that no route knows are ignored. */
export function readQuery(target: string): URLSearchParams {
  const at = target.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
}

/** `limit` and `after` of a list (contract 4.6 rule 9). Throws ApiError `invalid_request`. */
export function readPage(query: URLSearchParams): ListPage {
  const limit = readOne(query, 'limit');
  return { limit: limit === null ? null : readLimit(limit), after: readOne(query, 'after') };
}

function readLimit(text: string): number {
  const limit = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMITS.batchesListed) return limit;
  throw new ApiError(
    'invalid_request',
    `\`limit\` must be a whole number from 1 to ${LIMITS.batchesListed}.`,
  );
}

function readOne(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  if (values.length > 1) throw new ApiError('invalid_request', `\`${name}\` is given more than once.`);
  return values[0] ?? null;
}
