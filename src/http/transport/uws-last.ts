/**
 * The last response of a connection on uWebSockets.js.
 *
 * The library continues to read requests of a packet after a response that was marked as the last: it forgets the mark
 * when the next request begins. But it reads none while a response is unfinished, and closes the connection if one
 * arrives. So the last response is sent completely but never finished: its last byte is written as if more followed. The
 * caller must close the connection.
 */
import { type ReplyEnds, SendPace } from './send-pace.js';
import type { WholeReply } from './transport-types.js';

import { endLastHead, type UwsResponse, writeUwsHead } from './uws-library.js';

/** More than the library buffers while it reads a packet: a longer body is written to the kernel at once. */
const FLUSHED_BYTES = 20 * 1024;

/** Writes the last response. Must not be called within the parser's turn. */
export function writeLastReply(
  res: UwsResponse,
  reply: WholeReply,
  head: boolean,
  { clock, done, drop }: ReplyEnds,
): void {
  const bytes = Buffer.from(reply.body);
  if (head || bytes.length === 0) {
    res.cork(() => {
      writeUwsHead(res, reply);
      res.writeHeader('Content-Length', String(bytes.length));
      endLastHead(res);
    });
    done();
    return;
  }
  let finished = false;
  let sent = 0;
  const pace = new SendPace(clock);
  const finish = (offset: number) => {
    pace.took(offset - sent);
    sent = offset;
    if (finished) return true;
    finished = writeBody(res, bytes, offset);
    if (finished) done();
    else pace.wait(drop);
    return finished;
  };
  res.onWritable(finish);
  let started = false;
  res.cork(() => {
    started = writeStart(res, reply, bytes);
  });
  if (started) finish(bytes.length - 1);
  else pace.wait(drop);
}

/**
 * Writes the last response within the parser's turn, before a further byte is read, and closes the connection. The JSON
 * body is padded with spaces: a short one would be buffered, and lost with the connection.
 */
export function refuseAtOnce(res: UwsResponse, reply: WholeReply): void {
  const text = Buffer.from(reply.body);
  const bytes = Buffer.concat([text, Buffer.alloc(FLUSHED_BYTES, ' ')]);
  res.cork(() => writeStart(res, reply, bytes));
  writeBody(res, bytes, bytes.length - 1);
  res.close();
}

/** Writes the head and all but the last byte. False if the client accepts no more now. */
function writeStart(res: UwsResponse, reply: WholeReply, bytes: Buffer): boolean {
  writeUwsHead(res, reply);
  res.writeHeader('Connection', 'close');
  return res.tryEnd(bytes.subarray(0, -1), bytes.length)[0];
}

/** Writes the bytes from `offset`, the last one separately. False if the client accepts no more now. */
function writeBody(res: UwsResponse, bytes: Buffer, offset: number): boolean {
  const last = bytes.length - 1;
  let sent = true;
  // Two corks: the second begins only when the library has no buffered bytes.
  if (offset < last) {
    res.cork(() => {
      sent = res.tryEnd(bytes.subarray(offset, last), bytes.length)[0];
    });
  }
  if (!sent) return false;
  res.cork(() => {
    sent = res.tryEnd(bytes.subarray(last), bytes.length + 1)[0];
  });
  return sent;
}
