import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { type Certificate, TlsError } from './certificate.js';
import { limitFields } from './node-head.js';
import { IDLE_MS } from './node-send.js';
import { type Listener, MAX_HEADER_BYTES } from './transport-types.js';

/** Bounds unread bodies; longer than every deadline that the handler sets. */
export const REQUEST_MS = 90_000;

const OPTIONS = {
  insecureHTTPParser: false,
  maxHeaderSize: MAX_HEADER_BYTES,
  // The handler refuses a missing Host: node's own response lacks our headers.
  requireHostHeader: false,
  headersTimeout: IDLE_MS,
  requestTimeout: REQUEST_MS,
  connectionsCheckingInterval: 2_000,
};

/** A connection with TLS, also one whose handshake failed. Nothing public of it leads to its connection of TCP. */
export interface TlsStream extends Socket {
  readonly _parent?: Socket | null;
}

/** A server of node that does not listen yet. */
interface NodeServer {
  readonly server: Server;
  readonly renew: Listener['renew'];
  /** Closes the connections that have sent no request: node does not track those that negotiate TLS. */
  readonly closeUnused: () => void;
}

/** A server over TLS, or without if `tls` is null. Throws TlsError. */
export function createNodeServer(tls: Certificate | null, keepAliveMs: number): NodeServer {
  const made = tls === null ? { server: createServer(OPTIONS), renew() {}, closeUnused() {} } : secured(tls);
  // Responses carry it as `Keep-Alive: timeout=SECONDS`.
  made.server.keepAliveTimeout = keepAliveMs;
  limitFields(made.server);
  return made;
}

function secured(certificate: Certificate): NodeServer {
  const server = accepting(certificate, ({ cert, key }) =>
    createTlsServer({ ...OPTIONS, cert, key, handshakeTimeout: IDLE_MS }),
  );
  const accepted = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
  });
  return {
    server,
    renew: (next) => accepting(next, ({ cert, key }) => server.setSecureContext({ cert, key })),
    closeUnused() {
      for (const socket of accepted) socket.destroy();
    },
  };
}

function accepting<Result>(certificate: Certificate, use: (certificate: Certificate) => Result): Result {
  try {
    return use(certificate);
  } catch (error) {
    throw TlsError.refused('Node.js', certificate.files, error);
  }
}
