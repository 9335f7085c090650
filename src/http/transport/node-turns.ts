import type { Socket } from 'node:net';

/** Pipelined requests of a connection that may wait; the next one is the last that is read. */
export const PIPELINED_MAX = 100;

/** The requests of one connection. */
interface RequestQueue {
  readonly waiting: (() => Promise<void>)[];
  running: boolean;
  ended: boolean;
}

/**
 * Runs the requests of a connection one at a time, and none after its last response. Node's parser delivers all requests
 * of a packet at once, including those after one that will be refused.
 */
export class ConnectionTurns {
  readonly #queues = new WeakMap<Socket, RequestQueue>();

  /**
   * Runs a request after the previous ones have ended; never if the connection ends first.
   *
   * @param run resolves when the response has ended
   */
  take(socket: Socket, run: () => Promise<void>): void {
    const queue = this.#of(socket);
    if (queue.ended) return;
    if (queue.waiting.length === PIPELINED_MAX) {
      this.closeBehindLast(socket);
      return;
    }
    queue.waiting.push(run);
    if (!queue.running) void runAll(queue, socket);
  }

  /** The response being written is the last: drops waiting requests and accepts no more. */
  end(socket: Socket): void {
    const queue = this.#of(socket);
    queue.ended = true;
    queue.waiting.length = 0;
  }

  /** Accepts no more requests and closes the connection after the last response owed. False if none is owed. */
  closeBehindLast(socket: Socket): boolean {
    const queue = this.#of(socket);
    queue.ended = true;
    if (!queue.running) return false;
    queue.waiting.push(async () => void socket.destroy());
    return true;
  }

  #of(socket: Socket): RequestQueue {
    const known = this.#queues.get(socket);
    if (known !== undefined) return known;
    const queue: RequestQueue = { waiting: [], running: false, ended: false };
    this.#queues.set(socket, queue);
    return queue;
  }
}

async function runAll(queue: RequestQueue, socket: Socket): Promise<void> {
  queue.running = true;
  for (let run = queue.waiting.shift(); run !== undefined; run = queue.waiting.shift()) {
    if (!socket.destroyed) await run();
  }
  queue.running = false;
}
