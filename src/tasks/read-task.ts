import { ApiError, type ContentEncoding, type ErrorType, LIMITS } from '../api/index.js';
import { exceedsCodePoints } from '../base/index.js';
import { checkQuestions, decompress, type OpenBody, openBody } from '../decide/index.js';
import type { Catalog } from '../engine/index.js';
import { type RefusedShadow, readShadow } from './shadow/read-shadow.js';
import type { TaskContent } from './task-types.js';

/** The body of a PUT, and who sent it. */
export interface SentTask {
  readonly body: Uint8Array;
  readonly encoding: ContentEncoding;
  /** The ids of the models that the caller may use; null: all. */
  readonly allowedModels: readonly string[] | null;
}

/** A task, or an error as plain fields, because class instances do not cross threads. */
export type ReadTask =
  | {
      readonly ok: true;
      readonly content: TaskContent;
      /** Why only a task that has this shadow already can be put so; null: every task can. */
      readonly refused: RefusedShadow | null;
    }
  | { readonly ok: false; readonly type: ErrorType; readonly message: string };

export const DEFAULT_TARGET_ERROR = 0.05;
export const DEFAULT_CONFIDENCE = 0.95;

/** Reads and checks the body of a PUT. Never rejects because of a body, however malformed. */
export async function readTask(
  { body, encoding, allowedModels }: SentTask,
  catalog: Pick<Catalog, 'find'>,
): Promise<ReadTask> {
  try {
    const sent = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const open = openBody(await decompress(sent, encoding, LIMITS.taskBytes), ['questions']);
    const { shadow, refused } = readShadow(open.fields.shadow, catalog, allowedModels);
    return { ok: true, content: { ...contentOf(open, catalog, allowedModels), shadow }, refused };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, type: error.type, message: error.message };
    throw error;
  }
}

function contentOf(
  body: OpenBody,
  catalog: Pick<Catalog, 'find'>,
  allowedModels: readonly string[] | null,
): Omit<TaskContent, 'shadow'> {
  const { fields } = body;
  const { questions, model } = checkQuestions(body, catalog, allowedModels);
  return {
    questions,
    model,
    description: readDescription(fields.description),
    targetError: readShare(fields, 'target_error', DEFAULT_TARGET_ERROR, LIMITS.taskTargetErrors),
    confidence: readShare(fields, 'confidence', DEFAULT_CONFIDENCE, LIMITS.taskConfidences),
  };
}

function readDescription(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string')
    throw new ApiError('invalid_task', '`description` must be a string or null.');
  if (!exceedsCodePoints(value, LIMITS.taskDescriptionCodePoints)) return value;
  throw new ApiError(
    'invalid_task',
    `\`description\` is longer than the limit of ${LIMITS.taskDescriptionCodePoints} characters.`,
  );
}

/** A number between two bounds, which are included. */
function readShare(
  fields: OpenBody['fields'],
  name: string,
  absent: number,
  [min, max]: readonly [min: number, max: number],
): number {
  const value = fields[name] ?? absent;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw new ApiError('invalid_task', `\`${name}\` must be a number from ${min} to ${max}.`);
}
