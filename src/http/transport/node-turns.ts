import type { Socket } from 'node:net';

/** Requests of a connection that may wait for the one before them; one more is the last that is read. */
export const PIPELINED_MAX = 100;

/** The requests of one connection. */
interface Line {
  readonly waiting: (() => Promise<void>)[];
  running: boolean;
  ended: boolean;
}

/**
 * Lets the requests of a connection run one at a time, and none behind its last answer. Node's parser hands over all
 * requests of a packet at once, also those behind one that is going to be refused.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>();

  /**
   * Runs a request when those before it are over; never, where the connection ends first.
   *
   * @param run resolves when the response is over
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

  /** The answer that is being written is the last: what waits is dropped, and nothing more is taken. */
  end(socket: Socket): void {
    const line = this.#of(socket);
    line.ended = true;
    line.waiting.length = 0;
  }

  /** Takes nothing more, and closes the connection behind the last answer owed. False where none is. */
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
