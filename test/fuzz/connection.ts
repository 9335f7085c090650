import { connect, type Socket } from 'node:net';
import { type Answer, AnswerReader } from './answers.js';

/** What becomes of something sent. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** The connection ended first. */
  | { readonly kind: 'closed' }
  /** Neither came in time. */
  | { readonly kind: 'silent' };

/** One connection, on which one thing is sent after another. */
export class Connection {
  private readonly reader = new AnswerReader();
  private ended = false;
  private wake: () => void = () => {};
  private sentAt = performance.now();

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.reader.push(chunk);
      this.wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  get closed(): boolean {
    return this.ended;
  }

  /** Bytes that came and belong to no answer. */
  get left(): Buffer {
    return this.reader.left;
  }

  /** Milliseconds since something was last sent: the other side has waited for no longer, however late its answer was read. */
  get idleMs(): number {
    return performance.now() - this.sentAt;
  }

  /** Sends packets, giving the other side its turns in between. */
  async send(packets: readonly Buffer[]): Promise<void> {
    this.sentAt = performance.now();
    for (const [at, packet] of packets.entries()) {
      if (at > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      if (!this.socket.destroyed) this.socket.write(packet);
    }
  }

  /** The next answer. Throws BadAnswer. */
  async answer(head: boolean, timeoutMs: number): Promise<Outcome> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const answer = this.reader.next(head, this.ended);
      if (answer !== null) return { kind: 'answered', answer };
      if (this.ended) return { kind: 'closed' };
      const left = end - performance.now();
      if (left <= 0) return { kind: 'silent' };
      await this.change(left);
    }
  }

  /** Closes the sending side, which either transport takes for leaving. True when the other side has closed too. */
  async leave(timeoutMs: number): Promise<boolean> {
    this.socket.end();
    const end = performance.now() + timeoutMs;
    while (!this.ended && performance.now() < end) await this.change(end - performance.now());
    return this.ended;
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Resolves when something came, or after so long. */
  private change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
