import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Test } from 'tap';
import type { WebhookGuard } from '../../../src/batch/webhook/guard.js';
import { selfSigned } from '../certificate.js';
import { fakeClock } from '../fake-clock.js';

export const HOST = 'receiver.test';
const own = selfSigned(HOST);

/** A guard that finds every host at 127.0.0.1, may call `HOST` there and trusts its certificate. */
export function localGuard(change: Partial<WebhookGuard> = {}) {
  const clock = fakeClock();
  const allowedHosts: ReadonlySet<string> = new Set([HOST]);
  const resolve = async (_host: string): Promise<readonly string[]> => ['127.0.0.1'];
  return { resolve, allowedHosts, authorities: own.cert, ...change, clock };
}

/** A receiver of webhooks: speaks TLS on 127.0.0.1, and answers with what the test writes. */
export class Receiver {
  /** Every request as it came. */
  readonly requests: string[] = [];
  /** TCP connections, whether or not TLS came about. */
  connections = 0;
  /** Bytes of answers that the kernel or the caller has taken. */
  bytesTaken = 0;
  readonly #open = new Set<Socket>();
  readonly #server: Server;
  readonly #answer: (socket: TLSSocket) => void;

  private constructor(certificate: typeof own, answer: (socket: TLSSocket) => void) {
    this.#answer = answer;
    this.#server = createServer(certificate, (socket) => this.#serve(socket));
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open.delete(socket);
        this.#server.emit('left');
      });
    });
  }

  /** `answer` is called for each request that has come whole. */
  static async start(t: Test, answer: (socket: TLSSocket) => void, certificate = own): Promise<Receiver> {
    const receiver = new Receiver(certificate, answer);
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    t.teardown(() => {
      for (const socket of receiver.#open) socket.destroy();
      receiver.#server.close();
    });
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  address(path = '/hook', host = HOST): string {
    return `https://${host}:${this.port}${path}`;
  }

  /** Resolves when the first request has come. */
  async asked(): Promise<void> {
    if (this.requests.length === 0) await once(this.#server, 'asked');
  }

  /** Resolves when the caller has left no connection open. */
  async left(): Promise<void> {
    while (this.#open.size > 0) await once(this.#server, 'left');
  }

  #serve(socket: TLSSocket): void {
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => {
      this.bytesTaken += socket.bytesWritten - socket.writableLength;
    });
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const [head, body] = text.split('\r\n\r\n') as [string, string | undefined];
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (body === undefined || body.length < length) return;
      this.requests.push(text);
      text = '';
      this.#answer(socket);
      this.#server.emit('asked');
    });
  }
}

/** An answer without a body. */
export const answer = (status: number, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} Whatever`, 'content-length: 0', ...headers, '', ''].join('\r\n');
