import { FIRST_RESULT, PIECE_BYTES, type ResultPlace, type ResultsAnswer } from './results-piece.js';

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
