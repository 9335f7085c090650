import { ApiError, type Content } from '../api/index.js';
import { type ReadContent, readContent } from './content/index.js';
import { type Models, type PrepareResult, type PrepareTask, prepare } from './prepare.js';

/** A request as it was sent: what a preparing thread is given. */
export interface SentTask extends Omit<PrepareTask, 'files'> {
  /** How `body` is compressed, and what it is when it is not. */
  readonly content: Content;
  /** Where less than the limit is to be decompressed: more is `body_too_large`. */
  readonly decompressedBytesMax?: number;
}

/**
 * From the bytes as sent to a plan: decompresses, takes the parts apart, then prepares. Never rejects for a body, however
 * broken. The thread must have awaited `loadZstd`.
 */
export async function prepareSent(
  { content, decompressedBytesMax, ...task }: SentTask,
  models: Models,
): Promise<PrepareResult> {
  let read: ReadContent;
  try {
    read = readContent(task.body, content, decompressedBytesMax);
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, type: error.type, message: error.message };
    throw error;
  }
  return prepare({ ...task, body: read.request, files: read.files }, models);
}
