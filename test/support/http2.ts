import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Test } from 'tap';
import type { ProxyServer } from './proxy.js';

/** The response to one request over HTTP/2. */
export interface Http2Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A connection over HTTP/2 to a proxy, from a loopback address; closed with the test. */
export async function connectHttp2(
  t: Test,
  { port, ca }: ProxyServer,
  from = '127.0.0.1',
): Promise<ClientHttp2Session> {
  const session = connect(`https://localhost:${port}`, {
    createConnection: () =>
      connectTls({
        socket: connectTcp({ host: '127.0.0.1', port, localAddress: from }),
        ca,
        servername: 'localhost',
        ALPNProtocols: ['h2'],
      }),
  });
  session.on('error', () => {});
  t.teardown(() => session.destroy());
  await once(session, 'connect');
  return session;
}

/** Sends one request. */
export async function ask(
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | null = null,
): Promise<Http2Response> {
  const method = body === null ? 'GET' : 'POST';
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const stream = session.request({ ...headers, ...length, ':method': method, ':path': path });
  stream.end(body ?? undefined);
  const [head] = await once(stream, 'response');
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += chunk;
  return { status: Number(head[':status']), headers: head, body: text };
}
