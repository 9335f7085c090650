import { ApiError, isCustomId, LIMITS, LINE_ERRORS, type LineErrorType } from '../../api/index.js';
import { checkRequest, openBody, requireImageModel } from '../../decide/index.js';
import type { Catalog } from '../../engine/index.js';
import type { DecodeTurn, ImageReader } from '../../images/index.js';
import { estimateLine } from './estimate-cost.js';

/** A valid line. */
export interface CheckedLine {
  readonly customId: string;
  readonly model: string;
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

/** The models of the server, and those the caller may use (null: all). */
export interface LineModels {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly allowed: readonly string[] | null;
}

const NO_FILES = new Map<string, Uint8Array>();

/**
 * Checks one line (contract 4.6 rule 2). Only decoding its images is asynchronous, which the result does.
 *
 * @param claim records a custom id, or throws LineError if an earlier line has it
 * @throws LineError
 */
export function checkLine(
  bytes: Buffer,
  { catalog, allowed }: LineModels,
  claim: (customId: string) => void,
): CheckedLine {
  try {
    const body = openBody(bytes, ['state', 'questions'], 'line');
    const { custom_id: customId, model } = body.fields;
    if (typeof customId !== 'string' || !isCustomId(customId)) {
      throw new LineError(
        'invalid_custom_id',
        `\`custom_id\` must be 1 to ${LIMITS.customIdCharacters} letters, digits, \`_\`, \`.\`, \`:\` or \`-\`.`,
      );
    }
    claim(customId);
    if (model === undefined || model === null || model === '') {
      throw new LineError('model_required', 'The line has no `model`, and a batch has no default model.');
    }
    const terms = {
      model: null,
      files: NO_FILES,
      format: 'decide',
      allowedModels: allowed,
      diagnostics: 'line',
    } as const;
    const checked = checkRequest(body, terms, catalog);
    const { images } = checked;
    requireImageModel(images, checked.build);
    const tokens = estimateLine(bytes.length, checked);
    return {
      customId,
      model: model as string,
      tokens,
      checkImages:
        images.length === 0 ? null : (reader, turn) => reader.check(images, turn).catch(throwLineError),
    };
  } catch (error) {
    return throwLineError(error);
  }
}

function throwLineError(error: unknown): never {
  throw error instanceof ApiError ? lineErrorOf(error) : error;
}

/** Errors of live requests keep their type if lines have it too; all others become `invalid_line`. */
function lineErrorOf({ type, message }: ApiError): LineError {
  const known = LINE_ERRORS.find((each) => each === type);
  return new LineError(known ?? 'invalid_line', message);
}
