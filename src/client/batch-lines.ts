import { requireList } from './argument-checks.js';
import { DeciderError } from './client-error.js';
import type { BatchLine } from './client-types.js';
import { requireText } from './encode.js';
import { encodedLine } from './image-sources.js';
import { untilAborted } from './until-aborted.js';

// The server's limits (docs/contract.md, 8). Not imported, so that the client is these files alone; a test compares them.
export const BATCH_FILE_BYTES_MAX = 32 * 1024 * 1024;
export const BATCH_LINES_MAX = 50_000;

/** The lines of a batch, or a file of them: JSON Lines as text, bytes or a blob. */
export type BatchInput<Line extends BatchLine = BatchLine> =
  | Iterable<Line>
  | AsyncIterable<Line>
  | string
  | Uint8Array
  | Blob;

/**
 * The file of a batch. Takes lines only until a limit of the server is exceeded. Rejects with DeciderError
 * `body_too_large` or `too_many_lines`, with TypeError for what cannot be sent, with what the lines reject with, or with the
 * reason of the signal.
 */
export async function fileOfBatch(lines: BatchInput, signal: AbortSignal | undefined): Promise<Blob> {
  if (typeof lines === 'string' || lines instanceof Uint8Array || lines instanceof Blob) {
    const file = lines instanceof Blob ? lines : new Blob([contentOf(lines)]);
    if (file.size > BATCH_FILE_BYTES_MAX) throw tooLarge();
    return file;
  }
  requireList(lines, 'lines');
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const line of untilAborted(lines, signal)) {
    const piece = encoder.encode(`${await encodedLine(line, `lines[${pieces.length}]`, signal)}\n`);
    bytes += piece.byteLength;
    if (bytes > BATCH_FILE_BYTES_MAX) throw tooLarge();
    if (pieces.push(piece) > BATCH_LINES_MAX) {
      throw new DeciderError('too_many_lines', `The batch has more than ${BATCH_LINES_MAX} lines.`);
    }
  }
  return new Blob(pieces as Uint8Array<ArrayBuffer>[]);
}

const contentOf = (file: string | Uint8Array): string | Uint8Array<ArrayBuffer> =>
  typeof file === 'string' ? requireText(file, 'lines') : (file as Uint8Array<ArrayBuffer>);

const tooLarge = () =>
  new DeciderError('body_too_large', `The batch has more than ${BATCH_FILE_BYTES_MAX} bytes.`);
