import { createHash } from 'node:crypto';
import { ApiError, type ContentEncoding, type ErrorType, LIMITS } from '../../api/index.js';
import { decompress } from '../../decide/index.js';

/** A batch file as it was sent. */
export interface DigestTask {
  readonly file: Uint8Array;
  readonly encoding: ContentEncoding;
}

/** Between threads the parts of an error are passed, because errors lose their class. */
export type DigestResult =
  | { readonly ok: true; readonly digest: string }
  | { readonly ok: false; readonly type: ErrorType; readonly message: string };

/**
 * The SHA-256 of the decompressed batch file, in hexadecimal: a client that repeats a submission may compress it
 * differently. Never rejects, whatever the file.
 */
export async function digestFile({ file, encoding }: DigestTask): Promise<DigestResult> {
  try {
    const sent = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    const plain = await decompress(sent, encoding, LIMITS.decompressedBodyBytes);
    return { ok: true, digest: createHash('sha256').update(plain).digest('hex') };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, type: error.type, message: error.message };
    throw error;
  }
}
