import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A System One response. */
export const ANSWER = {
  model: 'stub-20260101',
  answers: { one: { type: 'noul', noul: 0.9 }, two: { type: 'noul', noul: 0.1 } },
  usage: { input_tokens: 220, output_tokens: 2 },
};

/** An HTTP server on the loopback interface whose responses a test decides; closed with the test. */
export async function stubServer(
  t: Test,
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) {
  let sockets = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => respond(request, response, body));
  });
  // Clients that a busy machine makes wait keep their idle connections.
  server.keepAliveTimeout = 0;
  server.on('connection', () => {
    sockets += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, sockets: () => sockets };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
