import type { ContentEncoding } from '../../api/index.js';
import { decompressGzip } from './gzip.js';
import { decompressZstd } from './zstd.js';

/**
 * The body as it was before its `Content-Encoding` (contract 4.1); `identity` is the body itself, not a copy.
 *
 * @throws ApiError `body_too_large` where that would be over `limitBytes`, `bad_encoding` where there is no such body
 */
export function decompress(body: Buffer, encoding: ContentEncoding, limitBytes: number): Buffer {
  switch (encoding) {
    case 'identity':
      return body;
    case 'gzip':
      return decompressGzip(body, limitBytes);
    case 'zstd':
      return decompressZstd(body, limitBytes);
  }
}
