import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/index.js';
import { Linger } from './linger.js';
import { SEND_PATIENCE_MS } from './send-pace.js';
import { SLICE_BYTES, sendPieces } from './send-pieces.js';
import type { BodyStream } from './transport-types.js';

/** A connection idle in both directions is closed, in milliseconds. */
export const IDLE_MS = 10_000;

/**
 * Sends a whole body, whose head is written, and ends the response. A client that reads too slowly is disconnected (see
 * `SendPace`).
 */
export function sendBody(
  res: ServerResponse,
  bytes: Uint8Array,
  signal: AbortSignal,
  clock: Pick<Clock, 'monotonic' | 'after'>,
): void {
  if (bytes.byteLength <= SLICE_BYTES) {
    res.setTimeout(IDLE_MS, () => res.destroy());
    res.end(bytes);
    return;
  }
  // A timer of the socket would also run while the server produces the next piece.
  sendPaced(res, [bytes], signal, clock).then(
    (isSent) => isSent && endWatched(res, clock, () => {}),
    () => res.destroy(),
  );
}

/** `sendPieces` to a response. */
export function sendPaced(
  res: ServerResponse,
  pieces: BodyStream['pieces'],
  signal: AbortSignal,
  clock: Pick<Clock, 'monotonic' | 'after'>,
): Promise<boolean> {
  const sink = {
    write: (piece: Uint8Array) => res.write(piece),
    onRoom: (resume: () => void) => void res.once('drain', resume),
    signal,
  };
  return sendPieces(pieces, sink, clock);
}

/**
 * Ends a paced response, and calls back when the kernel has all of it or the connection is closed. A client that does not
 * read the rest is disconnected: node reports a response as finished even if the kernel never accepts it.
 */
export function endWatched(res: ServerResponse, clock: Pick<Clock, 'after'>, onEnd: () => void): void {
  const cancel = clock.after(SEND_PATIENCE_MS, () => res.destroy());
  res.once('close', cancel);
  res.end(() => {
    cancel();
    onEnd();
  });
}

/**
 * Ends a response, whose body is written, when the client has sent its request or a bound of `Linger` is exceeded. Node
 * closes the connection when the last response ends, and a reset would lose what the client has not read.
 */
export function endBehindRequest(
  req: IncomingMessage,
  res: ServerResponse,
  clock: Pick<Clock, 'after'>,
): void {
  const linger = new Linger(clock, () => res.end());
  req.on('data', (chunk: Uint8Array) => linger.discarded(chunk.byteLength));
  req.once('end', () => res.end());
  res.once('close', () => linger.stop());
}
