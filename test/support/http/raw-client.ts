import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Speaks HTTP byte by byte over one connection. */
export class RawClient {
  #chunks: Buffer[] = [];
  #size = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** @param tls options of a connection over TLS; null: plain */
  static connect(port: number, host = '127.0.0.1', tls: ConnectionOptions | null = null): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = tls === null ? connect(port, host) : connectTls({ ...tls, host, port });
      socket.once('error', reject);
      socket.once(tls === null ? 'connect' : 'secureConnect', () => {
        socket.off('error', reject);
        resolve(new RawClient(socket));
      });
    });
  }

  /** Resolves when the bytes are with the kernel, or the connection is gone. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** Sends the parts as separate packets, giving the other side its turns in between. */
  async sendParts(parts: readonly (string | Uint8Array)[]): Promise<void> {
    for (const part of parts) {
      await this.send(part);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The next answer, interim ones skipped. Without a Content-Length it goes to the end of the connection. */
  async response(head = false): Promise<RawResponse> {
    for (;;) {
      const bytes = this.#received();
      const parsed = parse(bytes, this.#closed, head);
      if (typeof parsed === 'object') {
        this.#chunks = [bytes.subarray(parsed.bytes)];
        this.#size -= parsed.bytes;
        if (parsed.response.status !== 100) return parsed.response;
      } else if (this.#closed) throw new Error(`closed before an answer: ${visible(bytes)}`);
      else await this.#until(parsed);
    }
  }

  /** Everything that comes until the other side closes. */
  async untilClosed(): Promise<string> {
    await this.#until(Number.POSITIVE_INFINITY);
    return this.#received().toString('latin1');
  }

  destroy(): void {
    this.socket.destroy();
  }

  #received(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  async #until(size: number): Promise<void> {
    while (!this.#closed && this.#size < size) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Bytes as text for a message, short and without control characters. */
export function visible(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes.subarray(0, 400)).toString('ascii'));
}

/** The answer at the start of the bytes and its length, or how many bytes there must be before it is worth looking. */
function parse(
  bytes: Buffer,
  closed: boolean,
  head: boolean,
): { response: RawResponse; bytes: number } | number {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return bytes.length + 1;
  const [statusLine, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(statusLine?.split(' ')[1]);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = end + 4;
  const announced = status === 100 || head ? '0' : headers.get('content-length');
  if (announced === undefined && !closed) return bytes.length + 1;
  const total = announced === undefined ? bytes.length : start + Number(announced);
  if (bytes.length < total) return total;
  const body = bytes.subarray(start, total).toString();
  return { response: { status, headers, body }, bytes: total };
}

/** A whole request; `Host` and `Content-Length` are there unless `headers` says otherwise (null leaves one out). */
export function request(
  method: string,
  target: string,
  body: string | null = null,
  headers: Readonly<Record<string, string | null>> = {},
): string {
  const given: Record<string, string | null> = { Host: 'localhost', ...headers };
  if (body !== null && !('Content-Length' in given))
    given['Content-Length'] = String(Buffer.byteLength(body));
  if (body !== null && !('Content-Type' in given)) given['Content-Type'] = 'application/json';
  const lines = Object.entries(given).flatMap(([name, value]) =>
    value === null ? [] : `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
