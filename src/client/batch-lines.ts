import { DeciderError } from './client-error.js';
import type { BatchLine } from './client-types.js';
import { inlineAssets, readImages } from './image-sources.js';

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
 * `body_too_large` or `too_many_lines`, with what the lines reject with, or with the reason of the signal.
 */
export async function fileOfBatch(lines: BatchInput, signal: AbortSignal | undefined): Promise<Blob> {
  if (typeof lines === 'string' || lines instanceof Uint8Array)
    return new Blob([lines as string | Uint8Array<ArrayBuffer>]);
  if (lines instanceof Blob) return lines;
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const line of untilAborted(lines, signal)) {
    const piece = encoder.encode(`${JSON.stringify(await withAssets(line))}\n`);
    bytes += piece.byteLength;
    if (bytes > BATCH_FILE_BYTES_MAX) {
      throw new DeciderError('body_too_large', `The batch has more than ${BATCH_FILE_BYTES_MAX} bytes.`);
    }
    if (pieces.push(piece) > BATCH_LINES_MAX) {
      throw new DeciderError('too_many_lines', `The batch has more than ${BATCH_LINES_MAX} lines.`);
    }
  }
  return new Blob(pieces as Uint8Array<ArrayBuffer>[]);
}

/** A batch has no file parts: images are inline. */
async function withAssets({ images, ...line }: BatchLine): Promise<object> {
  return images === undefined ? line : { ...line, assets: await inlineAssets(await readImages(images)) };
}

/** The lines, until the signal aborts, also while the next one is awaited. */
async function* untilAborted<Line>(
  lines: Iterable<Line> | AsyncIterable<Line>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Line, void> {
  const iterator = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await orAborted(Promise.resolve(iterator.next()), signal);
      ended = done === true;
      if (ended) return;
      yield value;
    }
  } finally {
    // Not awaited: what the iterator waits for may never come.
    if (!ended) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
