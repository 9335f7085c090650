import type { Socket } from 'node:net';
import type { Clock } from '../../base/index.js';
import { discardRest } from './linger.js';

/** Pipelined requests of a connection that may wait. A packet may have more; then the connection closes behind these. */
export const PIPELINED_MAX = 100;
/**
 * Requests of all connections that are parsed and not answered, behind the ones that run. Node keeps each of them, 2 KiB
 * or more, until its connection closes. Beyond it, the connection with the most of them is destroyed.
 */
export const PIPELINED_TOTAL_MAX = 20_000;

/** The requests of one connection. */
interface RequestQueue {
  readonly socket: Socket;
  readonly waiting: (() => Promise<void>)[];
  /** Requests that node keeps, behind the one that runs: those that wait, and those that are dropped. */
  kept: number;
  running: boolean;
  ended: boolean;
  /** Nothing is read from the connection. */
  paused: boolean;
}

/**
 * Runs the requests of a connection one at a time, and none after its last response. Node's parser delivers all requests
 * of a packet at once, including those after one that will be refused. Behind PIPELINED_MAX of them, and behind a request
 * that is the last of its connection, nothing more is read.
 */
export class ConnectionTurns {
  readonly #queues = new WeakMap<Socket, RequestQueue>();
  /** The queues with requests that node keeps. */
  readonly #holding = new Set<RequestQueue>();
  #kept = 0;

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /**
   * Runs a request after the previous ones have ended; never if the connection ends first.
   *
   * @param run resolves when the response has ended
   * @param isLast the connection must close behind this request
   */
  take(socket: Socket, run: () => Promise<void>, isLast = false): void {
    const queue = this.#of(socket);
    if (queue.running) this.#keep(queue);
    if (queue.ended) {
      this.#pause(queue);
      return;
    }
    if (queue.waiting.length === PIPELINED_MAX) {
      this.closeBehindLast(socket);
      this.#pause(queue);
      return;
    }
    queue.waiting.push(run);
    if (isLast) queue.ended = true;
    if (!queue.running) void this.#runAll(queue);
    else if (queue.waiting.length === PIPELINED_MAX) this.#pause(queue);
  }

  /** The response being written is the last: drops waiting requests and accepts no more. */
  end(socket: Socket): void {
    const queue = this.#of(socket);
    queue.ended = true;
    queue.waiting.length = 0;
  }

  /** Whether the response of the request that runs is the last. */
  isLast(socket: Socket): boolean {
    const queue = this.#of(socket);
    return queue.ended && queue.waiting.length === 0;
  }

  /** Accepts no more requests and closes the connection after the last response owed. False if none is owed. */
  closeBehindLast(socket: Socket): boolean {
    const queue = this.#of(socket);
    queue.ended = true;
    if (!queue.running) return false;
    queue.waiting.push(async () => {
      socket.end();
      this.#resume(queue);
      discardRest(socket, this.clock);
    });
    return true;
  }

  async #runAll(queue: RequestQueue): Promise<void> {
    const { socket, waiting } = queue;
    queue.running = true;
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      if (!queue.ended) this.#resume(queue);
      if (!socket.destroyed) await run();
      this.#answered(queue);
    }
    queue.running = false;
  }

  #keep(queue: RequestQueue): void {
    queue.kept += 1;
    this.#kept += 1;
    this.#holding.add(queue);
    if (this.#kept <= PIPELINED_TOTAL_MAX) return;
    let most = queue;
    for (const each of this.#holding) if (each.kept > most.kept) most = each;
    most.socket.destroy();
    this.#forget(most);
  }

  /** The next request that node keeps runs, or the connection is about to close. */
  #answered(queue: RequestQueue): void {
    if (queue.kept === 0) return;
    queue.kept -= 1;
    this.#kept -= 1;
    if (queue.kept === 0) this.#holding.delete(queue);
  }

  #forget(queue: RequestQueue): void {
    this.#kept -= queue.kept;
    queue.kept = 0;
    this.#holding.delete(queue);
    queue.waiting.length = 0;
    queue.ended = true;
  }

  #pause(queue: RequestQueue): void {
    if (queue.paused) return;
    queue.paused = true;
    queue.socket.pause();
  }

  #resume(queue: RequestQueue): void {
    if (!queue.paused) return;
    queue.paused = false;
    queue.socket.resume();
  }

  #of(socket: Socket): RequestQueue {
    const known = this.#queues.get(socket);
    if (known !== undefined) return known;
    const queue = { socket, waiting: [], kept: 0, running: false, ended: false, paused: false };
    this.#queues.set(socket, queue);
    // Node resumes a connection when a body is read or a response is sent.
    socket.on('resume', () => {
      if (queue.paused) socket.pause();
    });
    socket.once('close', () => this.#forget(queue));
    return queue;
  }
}
