// Takes the place of uWebSockets.js in its check: takes the first of several lengths, and shows only that one.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Incoming, ListenOptions } from '../../../../src/http/transport/transport-types.js';

const HEAD_END = '\r\n\r\n';

/** Executes the requests of a packet one after another. */
async function serve(socket: Socket, { handler }: ListenOptions, bytes: string): Promise<void> {
  for (let rest = bytes; rest.includes(HEAD_END); ) {
    const [line = '', ...lines] = rest.slice(0, rest.indexOf(HEAD_END)).split('\r\n');
    const fields = lines.map((each) => each.split(': ', 2) as [string, string]);
    // A field without a name ends the connection.
    if (fields.some(([name]) => name === '' || name.startsWith(':'))) return void socket.destroy();
    const headers = fields.map(([name, value]) => [name.toLowerCase(), value] as const);
    const first = headers.find(([name]) => name === 'content-length');
    const start = rest.indexOf(HEAD_END) + HEAD_END.length;
    const body = rest.slice(start, start + Number(first?.[1] ?? 0));
    rest = rest.slice(start + body.length);
    const [method = '', target = ''] = line.split(' ');
    const shown = headers.filter(([name], at) => name !== 'content-length' || headers[at] === first);
    const incoming: Incoming = {
      method,
      target,
      headers: shown,
      peer: '',
      signal: new AbortController().signal,
      onBody: (listener) => listener(Buffer.from(body), true),
    };
    const reply = await handler(incoming);
    socket.write(`HTTP/1.1 ${reply.status} OK\r\nContent-Length: 0\r\n\r\n`);
  }
}

export const loadUws = async () => ({
  name: 'uws',
  listen: (options: ListenOptions) =>
    new Promise((resolve) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', (bytes) => void serve(socket, options, bytes.toString('latin1')));
      });
      server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port }));
    }),
});
