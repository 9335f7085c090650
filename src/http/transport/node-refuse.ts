import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './node-connections.js';
import type { WholeReply } from './types.js';

/**
 * Answers what node's parser refuses, with 431 for too large a header and 400 for the rest, and closes the
 * connection. A time-out or a broken connection is closed without an answer. Where an earlier request still waits for
 * its own answer, ours would be taken for that: the connection closes behind the last one owed instead.
 */
export function refuseMalformed(
  server: Server,
  connections: Connections,
  refuse: (status: 400 | 431) => WholeReply,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const unparsable = error.code?.startsWith('HPE_') === true && error.code !== 'HPE_INVALID_EOF_STATE';
    if (!unparsable || !socket.writable || socket.readableEnded) {
      socket.destroy();
      return;
    }
    if (connections.closeBehindLast(socket)) return;
    const reply = refuse(error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400);
    socket.end(rawReply(reply), () => socket.destroy());
  });
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
