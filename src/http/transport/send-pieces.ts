import { type Clock, systemClock } from '../../base/index.js';
import { SendPace, SlowReader } from './send-pace.js';
import type { BodyStream } from './types.js';

/**
 * What is handed on at once, and so about the most that waits for a slow reader, besides the piece that it is part of.
 * More than the 16 KiB that uWebSockets.js takes without looking whether the client has room.
 */
export const SLICE_BYTES = 32 * 1024;

/** The sending side of a connection. */
export interface PieceSink {
  /** Hands on a piece; false where the client has no room for another now. */
  write(piece: Uint8Array): boolean;
  /** Calls back, once, when there is room again. */
  onRoom(resume: () => void): void;
  readonly signal: AbortSignal;
}

/**
 * Sends pieces as fast as the client takes them, a slice in a turn of the event loop, so that nobody else waits for a
 * long body. Resolves with false where the client has gone before the last; rejects with what making a piece throws, and
 * with SlowReader where the client takes them too slowly: close the connection then.
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
