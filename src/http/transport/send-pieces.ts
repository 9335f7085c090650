import type { BodyStream } from './types.js';

/** The sending side of a connection. */
export interface PieceSink {
  /** Hands on a piece; false where the client has no room for another now. */
  write(piece: Uint8Array): boolean;
  /** Calls back, once, when there is room again. */
  onRoom(resume: () => void): void;
  readonly signal: AbortSignal;
}

/**
 * Sends pieces as fast as the client takes them, one in a turn of the event loop, so that nobody else waits for a long
 * body. Resolves with false where the client has gone before the last; rejects with what making a piece throws.
 */
export async function sendPieces(pieces: BodyStream['pieces'], sink: PieceSink): Promise<boolean> {
  const { signal } = sink;
  let wake = () => {};
  signal.addEventListener('abort', () => wake(), { once: true });
  for await (const piece of pieces) {
    if (signal.aborted) return false;
    if (!sink.write(piece)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        sink.onRoom(resolve);
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return !signal.aborted;
}
