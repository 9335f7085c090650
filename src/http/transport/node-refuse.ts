import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/index.js';
import { discardRest } from './linger.js';
import type { TlsStream } from './node-server.js';
import type { ConnectionTurns } from './node-turns.js';
import type { ListenOptions, MalformedStatus, WholeReply } from './transport-types.js';

/** `bytesParsed` counts from the start of the packet, which may be the end of a body. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/**
 * Answers what node's parser refuses, and closes the connection. A request that has not arrived in time is closed without
 * a response, and so is a broken connection. If an earlier request still waits for its response, this one would be mistaken
 * for it: then the connection closes after the last response owed. Node counts the time of a request that waits as well,
 * although nothing is read meanwhile.
 *
 * @returns a function that closes refused connections that are still open: the server no longer tracks them
 */
export function refuseMalformed(
  server: Server,
  turns: ConnectionTurns,
  { refuse, clock }: Pick<ListenOptions, 'refuse'> & { readonly clock: Pick<Clock, 'after'> },
): () => void {
  const refused = new Set<Socket>();
  const end = (socket: Socket, status: MalformedStatus) => {
    // Node emits this for every further packet.
    if (refused.has(socket)) return;
    refused.add(socket);
    socket.once('close', () => refused.delete(socket));
    if (!socket.writable) socket.destroy();
    else if (!turns.closeBehindLast(socket)) {
      socket.end(rawReply(refuse(status)));
      discardRest(socket, clock);
    }
  };
  server.on('clientError', (error: ParserError, stream) => {
    const socket = stream as Socket;
    const unparsable = error.code?.startsWith('HPE_') === true && error.code !== 'HPE_INVALID_EOF_STATE';
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && turns.closeBehindLast(socket)) return;
    if (!unparsable || socket.readableEnded) socket.destroy();
    else end(socket, statusOf(error));
  });
  server.on('connect', (req, stream) => {
    // Node removes its own error listener before this event: an error would end the process.
    stream.on('error', () => {});
    end(stream as Socket, req.url?.startsWith('/') === true ? 400 : 505);
  });
  return () => {
    for (const socket of refused) socket.destroy();
  };
}

/** What Node calls the first bytes of a connection that are a request in plain HTTP instead of a TLS handshake. */
const PLAIN_HTTP = 'ERR_SSL_HTTP_REQUEST';

/**
 * Answers a request in plain HTTP on a port with TLS: without a response, clients report an empty reply or a reset
 * connection. Node ends the connection by itself.
 */
export function refusePlainHttp(server: Server, refuse: () => WholeReply): void {
  server.on('tlsClientError', (error: NodeJS.ErrnoException, stream: TlsStream) => {
    if (error.code === PLAIN_HTTP && stream._parent?.writable === true)
      stream._parent.write(rawReply(refuse()));
  });
}

/** The parser's error codes for an unreadable request line. */
const REQUEST_LINE_ERRORS = new Set([
  'HPE_INVALID_CONSTANT',
  'HPE_INVALID_URL',
  'HPE_INVALID_VERSION',
  'HPE_PAUSED_H2_UPGRADE',
]);
/** A whole first line from its method, or from the byte of it that the parser stopped at and the one before. */
const REQUEST_LINE = /^[\s\S]?[!-~]+ \/[!-~]* HTTP\/1\.1\r\n/;

function statusOf({ code, rawPacket, bytesParsed = 0 }: ParserError): MalformedStatus {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  // An unknown method, or noise.
  if (code === 'HPE_INVALID_METHOD')
    return REQUEST_LINE.test(rawPacket?.toString('latin1', Math.max(0, bytesParsed - 1)) ?? '') ? 400 : 505;
  return REQUEST_LINE_ERRORS.has(code ?? '') ? 505 : 400;
}

function rawReply(reply: WholeReply): string {
  const body = typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString();
  const headers = [
    ...reply.headers,
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines}\r\n${body}`;
}
