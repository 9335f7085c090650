import { LIMITS } from '../../api/index.js';
import type { Batch, BatchList } from '../api/api-types.js';
import { CallError } from '../api/error.js';

/** Batches that are shown: the newest. */
export const BATCHES_SHOWN_MAX = 2_000;
/** Pages of a read: the list of the server begins with the oldest batch. */
export const PAGES_MAX = 1_000;

/** The newest batches of a key. */
export interface ListedBatches {
  /** Newest first. */
  readonly batches: readonly Batch[];
  /** The id of the batch before them, where the next read begins; null: there is none. */
  readonly skipped: string | null;
}

/** A read of the list that has not come to its end. */
export interface BegunList {
  /** The newest of those that were read, oldest first. */
  readonly batches: readonly Batch[];
  /** The id of the batch before them; null: there is none. */
  readonly skipped: string | null;
}

/** Reads a page of the list. */
type ReadPage = (query: string) => Promise<BatchList>;

/**
 * The newest batches of the key. Rejects as `readPage` does, or with Error if the list has more than `PAGES_MAX` pages.
 *
 * @param from of the last read that stopped, or the `skipped` of the last one that did not
 * @param onStopped called when a temporary error has stopped the read: the pages are requests of the key, whose limit per
 *   minute may be lower than their number
 */
export async function listBatches(
  readPage: ReadPage,
  from: BegunList,
  onStopped: (begun: BegunList) => void,
): Promise<ListedBatches> {
  // A batch behind which a page begins may be deleted meanwhile: then from further back.
  const starts = [from, ...(from.batches.length > 0 ? [{ batches: [], skipped: from.skipped }] : [])];
  for (const start of starts) {
    try {
      return await batchesAfter(readPage, start, onStopped);
    } catch (error) {
      if (!(error instanceof CallError && error.type === 'batch_not_found')) throw error;
    }
  }
  return batchesAfter(readPage, { batches: [], skipped: null }, onStopped);
}

/** The part of a list before the oldest batch that can change: a further read begins behind it. */
export function settledPart(
  { batches, skipped }: ListedBatches,
  canChange: (batch: Batch) => boolean,
): BegunList {
  return { batches: batches.slice(batches.findLastIndex(canChange) + 1).reverse(), skipped };
}

async function batchesAfter(
  readPage: ReadPage,
  from: BegunList,
  onStopped: (begun: BegunList) => void,
): Promise<ListedBatches> {
  let [batches, skipped] = [[...from.batches], from.skipped];
  const next = async () => {
    const after = batches.at(-1)?.id ?? skipped;
    const query = `limit=${LIMITS.batchesListed}${after === null ? '' : `&after=${encodeURIComponent(after)}`}`;
    try {
      return await readPage(query);
    } catch (error) {
      if (error instanceof CallError && error.isTemporary) onStopped({ batches, skipped });
      throw error;
    }
  };
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, has_more: more } = await next();
    batches.push(...data);
    if (batches.length > BATCHES_SHOWN_MAX) {
      skipped = batches.at(-BATCHES_SHOWN_MAX - 1)?.id ?? null;
      batches = batches.slice(-BATCHES_SHOWN_MAX);
    }
    if (more !== true) return { batches: batches.reverse(), skipped };
  }
  throw new Error(
    `The key has more than ${PAGES_MAX * LIMITS.batchesListed} batches: GET /v1/batches lists them.`,
  );
}
