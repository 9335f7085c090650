import type { BatchLine } from './client-types.js';
export declare const BATCH_FILE_BYTES_MAX: number;
export declare const BATCH_LINES_MAX = 50000;
/** The lines of a batch, or a file of them: JSON Lines as text, bytes or a blob. */
export type BatchInput<Line extends BatchLine = BatchLine> = Iterable<Line> | AsyncIterable<Line> | string | Uint8Array | Blob;
/**
 * The file of a batch. Takes lines only until a limit of the server is exceeded. Rejects with DeciderError
 * `body_too_large` or `too_many_lines`, with TypeError for what cannot be sent, with what the lines reject with, or with the
 * reason of the signal.
 */
export declare function fileOfBatch(lines: BatchInput, signal: AbortSignal | undefined): Promise<Blob>;
