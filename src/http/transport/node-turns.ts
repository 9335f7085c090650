import type { Socket } from 'node:net';

/** Pipelined requests of a connection that may wait; the next one is the last that is read. */
export const PIPELINED_MAX = 100;

/** The requests of one connection. */
interface Line {
  readonly waiting: (() => Promise<void>)[];
  running: boolean;
  ended: boolean;
}

/**
 * Runs the requests of a connection one at a time, and none after its last response. Node's parser delivers all requests
 * of a packet at once, including those after one that will be refused.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>();

  /**
   * Runs a request after the previous ones have ended; never if the connection ends first.
   *
   * @param run resolves when the response has ended
   */
  take(socket: Socket, run: () => Promise<void>): void {
    const line = this.#of(socket);
    if (line.ended) return;
    if (line.waiting.length === PIPELINED_MAX) {
      this.closeBehindLast(socket);
      return;
    }
    line.waiting.push(run);
    if (!line.running) void runAll(line, socket);
  }

  /** The response being written is the last: drops waiting requests and accepts no more. */
  end(socket: Socket): void {
    const line = this.#of(socket);
    line.ended = true;
    line.waiting.length = 0;
  }

  /** Accepts no more requests and closes the connection after the last response owed. False if none is owed. */
  closeBehindLast(socket: Socket): boolean {
    const line = this.#of(socket);
    line.ended = true;
    if (!line.running) return false;
    line.waiting.push(async () => void socket.destroy());
    return true;
  }

  #of(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = { waiting: [], running: false, ended: false };
    this.#lines.set(socket, line);
    return line;
  }
}

async function runAll(line: Line, socket: Socket): Promise<void> {
  line.running = true;
  for (let run = line.waiting.shift(); run !== undefined; run = line.waiting.shift()) {
    if (!socket.destroyed) await run();
  }
  line.running = false;
}
