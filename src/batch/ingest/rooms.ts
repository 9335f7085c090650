import { ApiError, type ContentEncoding, LIMITS } from '../../api/index.js';
import { decompress } from '../../decide/index.js';

/**
 * The rooms in which batch files are read. A file waits only for files of its room: a short one never waits for long ones,
 * and one without images never for images.
 *
 * - `small`: files of at most `SMALL_FILE_BYTES`
 * - `texts`: larger files of which no image has to be decoded
 * - `images`: all others
 */
export const FILE_ROOMS = ['small', 'texts', 'images'] as const;
export type FileRoom = (typeof FILE_ROOMS)[number];

/** Decompressed. A file takes up to three times as much memory while it is read. */
export const SMALL_FILE_BYTES = 1024 * 1024;

/** A batch file as it was sent. */
export interface SentFile {
  readonly file: Uint8Array;
  readonly encoding: ContentEncoding;
}

/** A file does not belong into the room in which it is read. */
export class OtherRoom extends Error {
  override readonly name = 'OtherRoom';

  constructor(readonly room: FileRoom) {
    super(`the file belongs into the room "${room}"`);
  }
}

/**
 * Decompresses a file. Rejects with OtherRoom if it is too large, and with ApiError `body_too_large`, `bad_encoding`.
 *
 * @param besides bytes that are in memory with the file: the questions of its tasks
 */
export async function openFile({ file, encoding }: SentFile, room: FileRoom, besides = 0): Promise<Buffer> {
  const sent = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (room !== 'small') return decompress(sent, encoding, LIMITS.decompressedBodyBytes);
  const bytesMax = SMALL_FILE_BYTES - besides;
  if (sent.length > bytesMax) throw new OtherRoom('texts');
  try {
    return await decompress(sent, encoding, bytesMax);
  } catch (error) {
    if (error instanceof ApiError && error.type === 'body_too_large') throw new OtherRoom('texts');
    throw error;
  }
}
