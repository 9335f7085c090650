import type { Socket } from 'node:net';
import type { Clock } from '../../base/index.js';

/** Bytes read and discarded after the last response of a connection: twice the largest body. */
export const LINGER_BYTES_MAX = 64 * 1024 * 1024;
/** Maximum pause between such bytes. */
export const LINGER_IDLE_MS = 2_000;
/** Maximum time for all of them. */
export const LINGER_MS = 30_000;

/**
 * Bounds how long a client may keep sending after the last response of its connection. Many clients read the response
 * only after they have sent the whole body; if the connection closed earlier, their write would fail and the response
 * would be lost. The bytes are discarded, never parsed as a request.
 */
export class Linger {
  private received = 0;
  private cancelIdle: () => void = () => {};
  private readonly cancelAll: () => void;

  /** @param onEnd called once when a bound is exceeded, never after `stop` */
  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly onEnd: () => void,
  ) {
    this.cancelAll = clock.after(LINGER_MS, () => this.end());
    this.waitForByte();
  }

  /** Counts discarded bytes. */
  discarded(bytes: number): void {
    this.received += bytes;
    if (this.received > LINGER_BYTES_MAX) this.end();
    else this.waitForByte();
  }

  stop(): void {
    this.cancelIdle();
    this.cancelAll();
  }

  private waitForByte(): void {
    this.cancelIdle();
    this.cancelIdle = this.clock.after(LINGER_IDLE_MS, () => this.end());
  }

  private end(): void {
    this.stop();
    this.onEnd();
  }
}

/** Discards what the client still sends, bypassing node's parser, then closes the connection. */
export function discardRest(socket: Socket, clock: Pick<Clock, 'after'>): void {
  const linger = new Linger(clock, () => socket.destroy());
  socket.once('close', () => linger.stop());
  socket.once('end', () => socket.destroy());
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Uint8Array) => linger.discarded(chunk.byteLength));
}
