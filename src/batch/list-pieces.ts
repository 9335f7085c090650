import type { ListAnswer } from './reading/list-answer.js';

const HEAD = '{"object":"list","data":[';

/**
 * The list of contract 2.6 as JSON: a string if the first answer completes it, else pieces.
 *
 * @param read reads at most `count` batches, beginning with number `from`; `count` null: as many as fit in one piece
 */
export function listPieces(
  first: ListAnswer,
  limit: number | null,
  read: (from: number, count: number | null) => Promise<ListAnswer>,
): string | AsyncIterable<Uint8Array> {
  if (first.next === null || first.count === limit) return HEAD + first.json + endOf(limit, first.next);
  return rest(first, limit, read);
}

async function* rest(
  first: ListAnswer,
  limit: number | null,
  read: (from: number, count: number | null) => Promise<ListAnswer>,
): AsyncGenerator<Uint8Array> {
  let { json, count, next } = first;
  yield Buffer.from(HEAD + json);
  while (next !== null && count !== limit) {
    const answer = await read(next, limit === null ? null : limit - count);
    if (answer.count > 0) yield Buffer.from(`,${answer.json}`);
    count += answer.count;
    next = answer.next;
  }
  yield Buffer.from(endOf(limit, next));
}

const endOf = (limit: number | null, next: number | null) =>
  limit === null ? ']}' : `],"has_more":${next !== null}}`;
