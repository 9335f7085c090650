import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/index.js';
import { Refusal } from './refusal.js';

/** Bytes of a body. */
export const OPERATOR_BODY_BYTES_MAX = 16 * 1024;
/** The time for a body to arrive, in milliseconds. */
export const OPERATOR_BODY_MS_MAX = 10_000;

/** The connection cannot be used again: a part of the body may not have been read. */
const CLOSE = { Connection: 'close' } as const;

/** Reads a body of JSON; an empty one counts as `{}`. Rejects with Refusal. */
export async function readJsonBody(request: IncomingMessage, clock: Pick<Clock, 'after'>): Promise<unknown> {
  const bytes = await readBytes(request, clock);
  if (bytes.length === 0) return {};
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (!/^application\/json *(;|$)/i.test(type) || encoding !== 'identity') {
    throw new Refusal('unsupported_media_type', 'The body must be application/json, without compression.');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal('invalid_json', 'The body is not JSON in UTF-8.');
  }
}

function readBytes(request: IncomingMessage, clock: Pick<Clock, 'after'>): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (refusal: Refusal) => {
      cancel();
      request.off('data', take);
      reject(refusal);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= OPERATOR_BODY_BYTES_MAX) return;
      const message = `The body has more than ${OPERATOR_BODY_BYTES_MAX} bytes.`;
      fail(new Refusal('body_too_large', message, null, CLOSE));
    };
    const cancel = clock.after(OPERATOR_BODY_MS_MAX, () => {
      const message = `The body has not arrived within ${OPERATOR_BODY_MS_MAX / 1_000} s.`;
      fail(new Refusal('request_timeout', message, null, CLOSE));
    });
    request.on('data', take);
    request.once('end', () => {
      cancel();
      resolve(Buffer.concat(chunks));
    });
    // The client has gone: the response is dropped.
    request.once('close', () => fail(new Refusal('invalid_request', 'The body is incomplete.', null, CLOSE)));
  });
}
