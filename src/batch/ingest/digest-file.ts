import { createHash } from 'node:crypto';
import { ApiError, type ErrorType } from '../../api/index.js';
import { type FileRoom, openFile, type SentFile } from './rooms.js';

/** Between threads the parts of an error are passed, because errors lose their class. */
export type DigestResult =
  | { readonly ok: true; readonly digest: string }
  | { readonly ok: false; readonly type: ErrorType; readonly message: string };

/**
 * The SHA-256 of the decompressed batch file, in hexadecimal: a client that repeats a submission may compress it
 * differently. Whatever the file, rejects with nothing but OtherRoom.
 */
export async function digestFile(task: SentFile, room: FileRoom = 'texts'): Promise<DigestResult> {
  try {
    const plain = await openFile(task, room);
    return { ok: true, digest: createHash('sha256').update(plain).digest('hex') };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, type: error.type, message: error.message };
    throw error;
  }
}
