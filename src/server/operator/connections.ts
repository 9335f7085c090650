import type { Socket } from 'node:net';

/** Connections with the token at a time; further ones are closed, unless an idle one can be. */
export const OPERATOR_CONNECTIONS_MAX = 64;
/** Connections without the token, or without a request yet; beyond it, the one without a request for longest is closed. */
export const STRANGER_CONNECTIONS_MAX = 64;

/**
 * The connections of the operator listener. They are counted apart, so that connections without the token, which any
 * process on the network can open, never take the place of the operator's. In both sets, the order is that of the last
 * request.
 */
export class OperatorConnections {
  readonly #strangers = new Set<Socket>();
  /** With the number of requests in progress. */
  readonly #trusted = new Map<Socket, number>();

  /** A connection was accepted. */
  opened(socket: Socket): void {
    this.#strangers.add(socket);
    socket.once('close', () => {
      this.#strangers.delete(socket);
      this.#trusted.delete(socket);
    });
    if (this.#strangers.size <= STRANGER_CONNECTIONS_MAX) return;
    const [longest] = this.#strangers;
    this.#close(longest as Socket);
  }

  /** A request without the token has arrived. */
  strangerAsked(socket: Socket): void {
    if (this.#strangers.delete(socket)) this.#strangers.add(socket);
  }

  /** A request with the token has arrived. False: there is no place, and the connection is closed. */
  begin(socket: Socket): boolean {
    const running = this.#trusted.get(socket) ?? 0;
    if (!this.#trusted.delete(socket) && this.#trusted.size >= OPERATOR_CONNECTIONS_MAX) {
      const idle = [...this.#trusted].find(([, requests]) => requests === 0)?.[0];
      this.#close(idle ?? socket);
      if (idle === undefined) return false;
    }
    this.#strangers.delete(socket);
    this.#trusted.set(socket, running + 1);
    return true;
  }

  /** The response to a request with the token has ended. */
  end(socket: Socket): void {
    const running = this.#trusted.get(socket);
    if (running !== undefined) this.#trusted.set(socket, running - 1);
  }

  #close(socket: Socket): void {
    this.#strangers.delete(socket);
    this.#trusted.delete(socket);
    socket.destroy();
  }
}
