import type { Socket } from 'node:net';

/**
 * Connections of a server that may be open without a request in progress: new ones, also while TLS is negotiated or a head
 * is incomplete, and those whose last response has ended. Beyond it, the one that is idle longest is closed.
 */
export const IDLE_CONNECTIONS_MAX = 4_096;

/** The connections without a request in progress, the longest idle first. */
export class IdleConnections {
  readonly #idle = new Set<Socket>();
  readonly #watched = new WeakSet<Socket>();

  constructor(private readonly max: number = IDLE_CONNECTIONS_MAX) {}

  /** A connection was accepted, or its last response has ended. */
  add(socket: Socket): void {
    if (socket.destroyed) return;
    if (!this.#watched.has(socket)) {
      this.#watched.add(socket);
      socket.once('close', () => this.#idle.delete(socket));
    }
    this.#idle.add(socket);
    if (this.#idle.size > this.max) this.#close(this.#idle.values().next().value as Socket);
  }

  /** A request has arrived. */
  remove(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** Closes all of them; returns how many there were. */
  closeAll(): number {
    const count = this.#idle.size;
    for (const socket of this.#idle) this.#close(socket);
    return count;
  }

  #close(socket: Socket): void {
    this.#idle.delete(socket);
    socket.destroy();
  }
}
