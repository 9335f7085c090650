import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The requests in progress on each connection. Node tells when a response is over, except for one that queues
 * behind another when the connection goes: for those the end of the connection counts.
 */
export class Connections {
  readonly #open = new WeakMap<Socket, Set<(lost: boolean) => void>>();
  readonly #closing = new WeakSet<Socket>();

  /** Calls `over` once: with true where the client left before the answer was written. */
  begin(req: IncomingMessage, res: ServerResponse, over: (lost: boolean) => void): void {
    const { socket } = req;
    const open = this.#of(socket);
    const end = (lost: boolean) => {
      if (!open.delete(end)) return;
      over(lost);
      if (open.size === 0 && this.#closing.has(socket)) socket.destroy();
    };
    open.add(end);
    res.once('close', () => end(!res.writableFinished));
  }

  /** Closes the connection behind the last answer owed. False, and nothing done, where none is. */
  closeBehindLast(socket: Socket): boolean {
    if ((this.#open.get(socket)?.size ?? 0) === 0) return false;
    this.#closing.add(socket);
    return true;
  }

  #of(socket: Socket): Set<(lost: boolean) => void> {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const open = new Set<(lost: boolean) => void>();
    this.#open.set(socket, open);
    socket.once('close', () => {
      for (const end of [...open]) end(true);
    });
    return open;
  }
}
