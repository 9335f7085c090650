import type { ChunkIds } from '../ingest/chunks.js';
import { type Unanswered, unansweredAs } from '../lifecycle/apply.js';
import type { Batch } from '../lifecycle/batch-transitions.js';
import { unansweredLine } from '../result-line.js';

/**
 * Data for a caller is read in pieces of about this size, each when the caller has taken the one before. A stalled
 * download therefore holds one piece, or one line if that is larger.
 */
export const PIECE_BYTES = 64 * 1024;

const MESSAGES: Readonly<Record<Unanswered, string>> = {
  cancelled: 'The batch was cancelled before the line ran.',
  expired: 'The line was not answered within 24 hours.',
  key_revoked: 'The key that submitted the batch was revoked or has expired, or its workspace was closed.',
};
const LINE_FEED = Buffer.from('\n');

/** The position of a result: a chunk, and a line of that chunk. */
export interface ResultPlace {
  readonly chunk: number;
  readonly line: number;
}

const FIRST_RESULT: ResultPlace = { chunk: 0, line: 0 };

/** The next results of a batch to read. */
export interface ResultsTask {
  /** Must have finished. */
  readonly batch: Batch;
  readonly dataKey: Uint8Array;
  readonly from: ResultPlace;
}

export interface ResultsAnswer {
  /** JSON Lines, complete lines only. */
  readonly text: Uint8Array;
  /** The position of the next result; null after the last. */
  readonly next: ResultPlace | null;
}

/**
 * The results of a finished batch from one place on, in the order of its lines: about PIECE_BYTES, or up to the end of the
 * chunk.
 *
 * @param ids the ids of the chunk
 * @param resultOf a line's result as JSON; undefined if it has none
 */
export function resultsPiece(
  { batch, from }: Omit<ResultsTask, 'dataKey'>,
  { first, ids }: ChunkIds,
  resultOf: (line: number) => Buffer | undefined,
): ResultsAnswer {
  const type = unansweredAs(batch);
  const failure = { status: null, type, message: MESSAGES[type] };
  const lines: Buffer[] = [];
  let [line, bytes] = [from.line, 0];
  for (; line < ids.length && bytes < PIECE_BYTES; line += 1) {
    const [customId, model] = ids[line] as (typeof ids)[number];
    const text = resultOf(first + line) ?? Buffer.from(unansweredLine({ customId, model }, failure));
    lines.push(text, LINE_FEED);
    bytes += text.length;
  }
  const next = line < ids.length ? { chunk: from.chunk, line } : { chunk: from.chunk + 1, line: 0 };
  return { text: Buffer.concat(lines), next: next.chunk < batch.chunks ? next : null };
}

/** The results of a batch as pieces of at most PIECE_BYTES. `read` is called when the piece before was consumed. */
export async function* resultPieces(
  read: (from: ResultPlace) => Promise<ResultsAnswer>,
): AsyncGenerator<Uint8Array> {
  for (let from: ResultPlace | null = FIRST_RESULT; from !== null; ) {
    const { text, next }: ResultsAnswer = await read(from);
    for (let at = 0; at < text.length; at += PIECE_BYTES) yield text.subarray(at, at + PIECE_BYTES);
    from = next;
  }
}
