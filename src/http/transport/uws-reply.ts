import { STATUS_CODES } from 'node:http';
import type { Reply } from './types.js';
import type { UwsResponse } from './uws-library.js';

/** Up to here the library may buffer a whole answer for a slow reader. */
const BUFFERED_BYTES = 16 * 1024;

/**
 * Writes the answer; `done` is called when nothing is left to hand to the kernel, at once for a small answer.
 * It is not called where the client leaves in between: that is the abort handler's affair.
 */
export function writeUwsReply(res: UwsResponse, reply: Reply, head: boolean, done: () => void): void {
  const bytes = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
  let finished = false;
  res.cork(() => {
    res.writeStatus(`${reply.status} ${STATUS_CODES[reply.status] ?? 'Status'}`);
    for (const [name, value] of reply.headers) res.writeHeader(name, value);
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
