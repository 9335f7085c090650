import { type Clock, systemClock } from '../../base/index.js';
import { SendPace, SlowReader } from './send-pace.js';
import type { BodyStream } from './transport-types.js';

/**
 * Bytes handed on at once, and so about the maximum that waits for a slow reader besides the current piece. More than
 * the 16 KiB that uWebSockets.js accepts without checking the client's window.
 */
export const SLICE_BYTES = 32 * 1024;

/** The sending side of a connection. */
interface PieceSink {
  /** Hands on a piece; false if the client has no room for another now. */
  write(piece: Uint8Array): boolean;
  /** Calls back, once, when there is room again. */
  onRoom(resume: () => void): void;
  readonly signal: AbortSignal;
}

/**
 * Sends pieces as fast as the client reads, one slice per turn of the event loop, so that a long body does not delay
 * other connections. Resolves with false if the client disconnects before the last piece. Rejects with errors of making a piece, and
 * with SlowReader if the client reads too slowly; then close the connection.
 */
export async function sendPieces(
  pieces: BodyStream['pieces'],
  sink: PieceSink,
  clock: Pick<Clock, 'monotonic' | 'after'> = systemClock,
): Promise<boolean> {
  const { signal } = sink;
  const pace = new SendPace(clock);
  let wake = () => {};
  signal.addEventListener('abort', () => wake(), { once: true });
  const room = (bytes: number) =>
    new Promise<void>((resolve, reject) => {
      wake = () => {
        pace.took(bytes);
        resolve();
      };
      pace.wait(() => reject(new SlowReader()));
      sink.onRoom(wake);
    });
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += SLICE_BYTES) {
      if (signal.aborted) return false;
      const slice = piece.subarray(at, at + SLICE_BYTES);
      if (!sink.write(slice)) await room(slice.byteLength);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return !signal.aborted;
}
