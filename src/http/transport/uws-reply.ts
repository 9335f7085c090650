import type { Clock } from '../../base/index.js';
import { type ReplyEnds, SendPace } from './send-pace.js';
import { sendPieces } from './send-pieces.js';
import type { BodyStream, Reply } from './transport-types.js';

import { endLastChunks, endLastHead, type UwsResponse, writeUwsHead } from './uws-library.js';

/** The library may buffer a whole response up to this size for a slow reader. */
const BUFFERED_BYTES = 16 * 1024;

/**
 * Writes a response that is not the last of its connection. `done` is called when the kernel has all of it, at once for a
 * small one. It is not called if the client disconnects meanwhile: the abort handler covers that.
 */
export function writeUwsReply(
  res: UwsResponse,
  reply: Reply,
  body: string | Uint8Array,
  head: boolean,
  ends: ReplyEnds,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  let finished = false;
  res.cork(() => {
    writeUwsHead(res, reply);
    if (head) endHead(res, bytes.byteLength);
    else if (bytes.byteLength <= BUFFERED_BYTES) res.end(bytes, false);
    else {
      finished = streamLarge(res, bytes, ends);
      return;
    }
    finished = true;
  });
  // After the cork: only then are the bytes out of the library's buffer.
  if (finished) ends.done();
}

/**
 * Writes a generated body in chunks. Resolves with false if the client disconnected before its end; rejects as
 * `sendPieces` does. The library's response to the last request of a connection stays unfinished: see `uws-last.ts`.
 */
export async function writeUwsStream(
  res: UwsResponse,
  reply: Reply,
  { pieces, sent }: BodyStream,
  head: boolean,
  signal: AbortSignal,
  clock: Clock,
): Promise<boolean> {
  if (head) {
    res.cork(() => {
      writeUwsHead(res, reply);
      // The length is unknown; this tells the client that nothing follows.
      res.writeHeader('Transfer-Encoding', 'chunked');
      if (reply.close) endLastHead(res);
      else res.endWithoutBody();
    });
    return true;
  }
  let wake = () => {};
  res.onWritable(() => {
    wake();
    return true;
  });
  const onRoom = (resume: () => void) => {
    wake = resume;
  };
  let begun = false;
  const write = (piece: Uint8Array) => {
    let room = true;
    res.cork(() => {
      if (!begun) writeStreamHead(res, reply);
      begun = true;
      room = res.write(piece);
    });
    return room;
  };
  if (!(await sendPieces(pieces, { write, onRoom, signal }, clock))) return false;
  res.cork(() => {
    if (begun) endChunks(res, reply);
    else endEmptyStream(res, reply);
  });
  sent();
  return true;
}

function writeStreamHead(res: UwsResponse, reply: Reply): void {
  writeUwsHead(res, reply);
  if (reply.close) res.writeHeader('Connection', 'close');
}

function endChunks(res: UwsResponse, { close }: Reply): void {
  if (close) endLastChunks(res);
  else res.end('', false);
}

function endEmptyStream(res: UwsResponse, reply: Reply): void {
  writeUwsHead(res, reply);
  if (!reply.close) res.end('', false);
  else {
    res.writeHeader('Content-Length', '0');
    endLastHead(res);
  }
}

/**
 * `endWithoutBody(length)` of this version writes the right header and then waits forever for the body, so the length is
 * written as a plain header.
 */
function endHead(res: UwsResponse, length: number): void {
  res.writeHeader('Content-Length', String(length)).endWithoutBody();
}

/** Writes at the kernel's pace; `end` would not report when the last byte has left. */
function streamLarge(res: UwsResponse, bytes: Uint8Array, { clock, done, drop }: ReplyEnds): boolean {
  const pace = new SendPace(clock);
  if (res.tryEnd(bytes, bytes.byteLength)[1]) return true;
  let sent = 0;
  pace.wait(drop);
  res.onWritable((offset) => {
    pace.took(offset - sent);
    sent = offset;
    const [ok, finished] = res.tryEnd(bytes.subarray(offset), bytes.byteLength);
    if (finished) done();
    else pace.wait(drop);
    return ok;
  });
  return false;
}
