import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_HEADER_BYTES } from '../../src/http/transport/transport-types.js';
import { importUws } from '../../src/http/transport/uws-library.js';
import type { TransportName } from './kinds.js';

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Starts a bare transport that reads every body and sends a fixed response. Returns its port. */
export function listenBare(transport: TransportName, answer: string): Promise<number> {
  return transport === 'uws' ? listenUws(answer) : listenNode(answer);
}

async function listenUws(answer: string): Promise<number> {
  const library = await importUws(MAX_HEADER_BYTES);
  return new Promise((resolve, reject) => {
    const app = library.App();
    app.any('/*', (response) => {
      response.onAborted(() => {});
      response.onData((_, last) => {
        if (!last) return;
        response.cork(() => {
          response.writeStatus('200 OK').writeHeader('Content-Type', CONTENT_TYPE).end(answer, false);
        });
      });
    });
    app.listen('127.0.0.1', 0, library.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket === false) reject(new Error('no free port'));
      else resolve(library.us_socket_local_port(socket));
    });
  });
}

function listenNode(answer: string): Promise<number> {
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': CONTENT_TYPE, 'Content-Length': Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
