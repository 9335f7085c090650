import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { Decider, type DeciderOptions, systemRuntime } from '../../../src/client/index.js';
import type { Owner } from '../owner.js';
import { PATIENCE_MS } from '../until.js';

/** Bytes to send before the connection is closed, or what is done with the connection. */
export type StubAnswer = string | Uint8Array | ((socket: Socket) => void);

/** A whole response, behind which the connection closes. */
export function response(body: string, status = '200 OK', headers = ''): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return `HTTP/1.1 ${status}\r\n${length}\r\nConnection: close\r\n${headers}\r\n${body}`;
}

/** A response in chunks; without `end`, it is cut off. */
export function chunked(pieces: readonly string[], end = true): string {
  const chunks = pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks.join('')}${end ? '0\r\n\r\n' : ''}`;
}

/** An error of the server. */
export const refusal = (type: string, status: string, headers = ''): string =>
  response(JSON.stringify({ error: 'A sentence.', type }), status, headers);

/** A server of raw bytes: each request gets the next answer, and its connection is closed; the last answer repeats. */
export async function rawStub(t: Owner, ...answers: StubAnswer[]) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const [head = '', body] = text.split(/\r\n\r\n([\s\S]*)/);
      if (body === undefined) return;
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (body.length < length) return;
      requests.push(text);
      text = '';
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? '';
      if (typeof answer === 'function') answer(socket);
      else socket.end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A client whose waits before retries take no time; `waits` gets their milliseconds. */
export function hastyClient(url: string, options: DeciderOptions = {}) {
  const waits: number[] = [];
  const timeoutMs = options.timeoutMs ?? PATIENCE_MS;
  const runtime = {
    ...systemRuntime,
    random: () => 0,
    after(ms: number, callback: () => void) {
      if (ms === timeoutMs) return systemRuntime.after(ms, callback);
      waits.push(ms);
      return systemRuntime.after(0, callback);
    },
  };
  return { decider: new Decider({ url, token: 'dk_test', ...options, timeoutMs }, runtime), waits };
}

/** Checks that a call is rejected, and what it is rejected with. */
export async function refuses(t: Test, call: Promise<unknown>, pattern: object): Promise<void> {
  const error = await call.then(
    () => null,
    (thrown) => thrown,
  );
  t.match(error, pattern);
}
