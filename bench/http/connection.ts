import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /^content-length: *(\d+)\r$/im;

/** A minimal client: a connection that sends one request at a time and reads its response. */
export class Connection {
  private received: Buffer = Buffer.alloc(0);
  private answered: ((body: Buffer) => void) | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('close', () => {
      if (this.answered !== null) throw new Error('the server closed the connection and did not answer');
    });
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Whether the server has closed the connection, as it does after some idle seconds. */
  get closed(): boolean {
    return this.socket.closed;
  }

  /** Calls back with the response body. Throws if the status is not 200 or the server has closed the connection. */
  send(request: Buffer, answered: (body: Buffer) => void): void {
    if (this.closed) throw new Error('the server closed the connection before a request');
    this.answered = answered;
    this.socket.write(request);
  }

  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve) => this.send(request, resolve));
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const end = this.received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.received.toString('latin1', 0, end + 2);
    const length = Number(LENGTH.exec(head)?.[1]);
    const start = end + HEAD_END.length;
    if (this.received.length < start + length) return;
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`answered ${head.split('\r\n', 1)[0]}`);
    const body = this.received.subarray(start, start + length);
    this.received = Buffer.alloc(0);
    const answered = this.answered;
    this.answered = null;
    answered?.(body);
  }
}

export const openConnections = (port: number, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => Connection.open(port)));
