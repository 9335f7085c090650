import type { Socket } from 'node:net';
import type { Clock } from '../../base/index.js';
import { discardRest } from './linger.js';
import type { RequestMemory } from './request-memory.js';

/** Pipelined requests of a connection that may wait. A packet may have more; then the connection closes behind these. */
export const PIPELINED_MAX = 100;

interface Waiting {
  readonly run: () => Promise<void>;
  /** `requestBytes` of the request. */
  readonly bytes: number;
}

/** The requests of one connection. */
interface RequestQueue {
  readonly socket: Socket;
  readonly waiting: Waiting[];
  readonly close: () => void;
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

  /** @param memory counts the requests that node keeps: those that run or wait, and until the connection closes those that are dropped */
  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly memory: RequestMemory,
  ) {}

  /**
   * Runs a request after the previous ones have ended; never if the connection ends first.
   *
   * @param run resolves when the response has ended
   * @param bytes `requestBytes` of the request
   * @param isLast the connection must close behind this request
   */
  take(socket: Socket, run: () => Promise<void>, bytes: number, isLast = false): void {
    const queue = this.#of(socket);
    this.memory.take(queue, bytes);
    if (queue.ended) {
      this.#pause(queue);
      return;
    }
    if (queue.waiting.length === PIPELINED_MAX) {
      this.closeBehindLast(socket);
      this.#pause(queue);
      return;
    }
    queue.waiting.push({ run, bytes });
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
    const run = async () => {
      socket.end();
      this.#resume(queue);
      discardRest(socket, this.clock);
    };
    queue.waiting.push({ run, bytes: 0 });
    return true;
  }

  async #runAll(queue: RequestQueue): Promise<void> {
    const { socket, waiting } = queue;
    queue.running = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!queue.ended) this.#resume(queue);
      if (!socket.destroyed) await next.run();
      this.memory.free(queue, next.bytes);
    }
    queue.running = false;
  }

  #forget(queue: RequestQueue): void {
    this.memory.free(queue);
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
    const close = () => {
      socket.destroy();
      this.#forget(queue);
    };
    const queue: RequestQueue = { socket, waiting: [], close, running: false, ended: false, paused: false };
    this.#queues.set(socket, queue);
    // Node resumes a connection when a body is read or a response is sent.
    socket.on('resume', () => {
      if (queue.paused) socket.pause();
    });
    socket.once('close', () => this.#forget(queue));
    return queue;
  }
}
