import { STATUS_CODES } from 'node:http';
import { sendPieces } from './send-pieces.js';
import type { BodyStream, Reply } from './types.js';
import type { UwsResponse } from './uws-library.js';

/** Up to here the library may buffer a whole answer for a slow reader. */
const BUFFERED_BYTES = 16 * 1024;

/**
 * Writes the answer; `done` is called when nothing is left to hand to the kernel, at once for a small answer.
 * It is not called where the client leaves in between: that is the abort handler's affair.
 */
export function writeUwsReply(
  res: UwsResponse,
  reply: Reply,
  body: string | Uint8Array,
  head: boolean,
  done: () => void,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  let finished = false;
  res.cork(() => {
    writeHead(res, reply);
    if (head) endHead(res, bytes.byteLength, reply.close);
    else if (bytes.byteLength <= BUFFERED_BYTES) res.end(bytes, reply.close);
    else {
      finished = streamLarge(res, bytes, reply.close, done);
      return;
    }
    finished = true;
  });
  // After the cork: only then have the bytes left the library's own buffer.
  if (finished) done();
}

function writeHead(res: UwsResponse, { status, headers }: Reply): void {
  res.writeStatus(`${status} ${STATUS_CODES[status] ?? 'Status'}`);
  for (const [name, value] of headers) res.writeHeader(name, value);
}

/**
 * Writes a body that is made while it is sent, in chunks. Resolves with false where the client left before its end.
 *
 * `end` with `close` would write the header `Connection: close` behind the chunks, as one more of them. So it stands in
 * the head, and the connection is left for the client to close, or for the library when it is idle.
 */
export async function writeUwsStream(
  res: UwsResponse,
  reply: Reply,
  { pieces, sent }: BodyStream,
  head: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  if (head) {
    res.cork(() => {
      writeStreamHead(res, reply);
      // Its length is not known, and this says that nothing follows.
      res.writeHeader('Transfer-Encoding', 'chunked').endWithoutBody();
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
  if (!(await sendPieces(pieces, { write, onRoom, signal }))) return false;
  res.cork(() => {
    if (!begun) writeStreamHead(res, reply);
    res.end('', false);
  });
  sent();
  return true;
}

function writeStreamHead(res: UwsResponse, reply: Reply): void {
  writeHead(res, reply);
  if (reply.close) res.writeHeader('Connection', 'close');
}

/**
 * `endWithoutBody(length)` of this version writes the right header and then waits for the body for ever, so a
 * connection that stays gets its length as a plain header. With `close` the wait ends with the connection.
 */
function endHead(res: UwsResponse, length: number, close: boolean): void {
  if (close) res.endWithoutBody(length, true);
  else res.writeHeader('Content-Length', String(length)).endWithoutBody();
}

/** Feeds the kernel as it takes; `end` would give no sign of when the last byte has left. */
function streamLarge(res: UwsResponse, bytes: Uint8Array, close: boolean, done: () => void): boolean {
  if (close) res.writeHeader('Connection', 'close');
  if (res.tryEnd(bytes, bytes.byteLength)[1]) return true;
  res.onWritable((offset) => {
    const [ok, finished] = res.tryEnd(bytes.subarray(offset), bytes.byteLength);
    if (finished) done();
    return ok;
  });
  return false;
}
