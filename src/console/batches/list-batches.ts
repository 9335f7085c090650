import { LIMITS } from '../../api/index.js';
import type { Batch, BatchList } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';

/** Pages that are read: the list begins with the oldest batch. */
const PAGES_MAX = 20;

/** The batches of the key, newest first, and whether there are more than were read. Rejects as `Api` does. */
export async function listBatches(
  api: Api,
  signal: AbortSignal,
): Promise<{ batches: Batch[]; more: boolean }> {
  const all: Batch[] = [];
  let more = true;
  for (let page = 0; more && page < PAGES_MAX; page += 1) {
    const last = all.at(-1)?.id;
    const query = `limit=${LIMITS.batchesListed}${last === undefined ? '' : `&after=${encodeURIComponent(last)}`}`;
    const { body } = await api.json<BatchList>(`v1/batches?${query}`, { signal });
    all.push(...body.data);
    more = body.has_more === true;
  }
  return { batches: all.reverse(), more };
}
