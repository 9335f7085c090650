import { ApiError, type Content, LIMITS } from '../../api/index.js';
import { decompress } from './decompress.js';
import { readMultipart } from './multipart.js';

/** The parts of a body. */
export interface ReadContent {
  /** The JSON text of contract 2.1, not yet parsed. */
  readonly request: Buffer;
  /** The other parts of a multipart body, by name. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * Decompresses a body and splits it into its parts (contract 4.1). The parts are views of the body or of the
 * decompressed buffer.
 *
 * @throws ApiError `body_too_large`, `bad_encoding`, `bad_multipart`
 */
export async function readContent(
  body: Uint8Array,
  { encoding, media }: Content,
  decompressedBytesMax: number = LIMITS.decompressedBodyBytes,
): Promise<ReadContent> {
  const sent = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const bytes = await decompress(sent, encoding, decompressedBytesMax);
  if (media.kind === 'json') return { request: bytes, files: new Map() };
  if (media.boundary === null) {
    throw new ApiError(
      'bad_multipart',
      'The Content-Type gives no boundary, or one that RFC 2046 does not allow.',
    );
  }
  return readMultipart(bytes, media.boundary);
}
