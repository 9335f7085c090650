import type { Socket } from 'node:net';

/** A connection with TLS, also one whose handshake failed. Nothing public of it leads to its connection of TCP. */
export interface TlsStream extends Socket {
  readonly _parent?: Socket | null;
}
