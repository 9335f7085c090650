import { ApiError, isCustomId, LIMITS, LINE_ERRORS, type LineErrorType } from '../../api/index.js';
import {
  checkRequest,
  type OpenBody,
  openBody,
  refuseOwnQuestions,
  requireImageModel,
} from '../../decide/index.js';
import type { Catalog } from '../../engine/index.js';
import type { DecodeTurn, ImageReader } from '../../images/index.js';
import type { LineTask } from './chunks.js';
import { estimateLine } from './estimate-cost.js';
import type { FileTasks, OpenTask } from './file-tasks.js';

/** A valid line. */
export interface CheckedLine {
  readonly customId: string;
  readonly model: string;
  /** Null: it has questions of its own. */
  readonly task: LineTask | null;
  /** An estimate of its input tokens. */
  readonly tokens: number;
  /** Decodes its images, which `checkLine` does not; null if it has none. Rejects with LineError. */
  readonly checkImages: ((reader: ImageReader, turn: DecodeTurn) => Promise<void>) | null;
}

/** Why a line is invalid: an entry of `errors` (contract 2.9) without its line number. */
export class LineError extends Error {
  override readonly name = 'LineError';

  constructor(
    readonly type: LineErrorType,
    message: string,
  ) {
    super(message);
  }
}

/** What lines may name. */
export interface LineNames {
  /** The models of the server. */
  readonly catalog: Pick<Catalog, 'find'>;
  /** The models that the caller may use; null: all. */
  readonly allowed: readonly string[] | null;
  readonly tasks: Pick<FileTasks, 'find' | 'noteSearch'>;
}

const NO_FILES = new Map<string, Uint8Array>();

/**
 * Checks one line (contract 4.6 rule 2). Only decoding its images is asynchronous, which the result does.
 *
 * @param claim records a custom id, or throws LineError if an earlier line has it
 * @throws LineError; TasksUnread if it names a task, and the tasks have not been read; Refusal if the questions of tasks
 *   were searched too often
 */
export function checkLine(
  bytes: Buffer,
  { catalog, allowed, tasks }: LineNames,
  claim: (customId: string) => void,
): CheckedLine {
  try {
    const body = openBody(bytes, ['state', 'questions'], 'line');
    const customId = readCustomId(body);
    claim(customId);
    const task = taskOf(body, tasks);
    const model = task?.model ?? readModel(body);
    const terms = {
      model: null,
      files: NO_FILES,
      format: 'decide',
      allowedModels: allowed,
      diagnostics: 'line',
      questions: task?.questions,
    } as const;
    const asked = task === null ? body : { ...body, fields: { ...body.fields, model } };
    const checked = checkRequest(asked, terms, catalog);
    const { images } = checked;
    if (task !== null && images.length > 0) tasks.noteSearch(task);
    requireImageModel(images, checked.build);
    return {
      customId,
      model: model as string,
      task: task?.asked ?? null,
      tokens: estimateLine(bytes.length + (task?.bytes ?? 0), checked),
      checkImages:
        images.length === 0 ? null : (reader, turn) => reader.check(images, turn).catch(throwLineError),
    };
  } catch (error) {
    return throwLineError(error);
  }
}

function readCustomId({ fields }: OpenBody): string {
  const { custom_id: customId } = fields;
  if (typeof customId === 'string' && isCustomId(customId)) return customId;
  throw new LineError(
    'invalid_custom_id',
    `\`custom_id\` must be 1 to ${LIMITS.customIdCharacters} letters, digits, \`_\`, \`.\`, \`:\` or \`-\`.`,
  );
}

/** Whatever it is: `checkRequest` says whether it is a model. */
function readModel({ fields: { model } }: OpenBody): unknown {
  if (model !== undefined && model !== null && model !== '') return model;
  throw new LineError('model_required', 'The line has no `model`, and a batch has no default model.');
}

/** The task that a line names; null: it names none. Throws ApiError `task_not_found`, `invalid_request`; TasksUnread. */
function taskOf({ fields }: OpenBody, tasks: LineNames['tasks']): OpenTask | null {
  const { task } = fields;
  if (task === undefined || task === null) return null;
  if (typeof task !== 'string') throw new LineError('invalid_line', '`task` must be a string.');
  refuseOwnQuestions(fields);
  return tasks.find(task);
}

function throwLineError(error: unknown): never {
  throw error instanceof ApiError ? lineErrorOf(error) : error;
}

/** Errors of live requests keep their type if lines have it too; all others become `invalid_line`. */
function lineErrorOf({ type, message }: ApiError): LineError {
  const known = LINE_ERRORS.find((each) => each === type);
  return new LineError(known ?? 'invalid_line', message);
}
