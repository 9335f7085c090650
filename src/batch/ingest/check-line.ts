import { ApiError, LINE_ERRORS, type LineErrorType } from '../../api/index.js';
import { readRequest } from '../../decide/index.js';
import type { LineModels } from './models.js';

/** A line that may be queued. */
export interface CheckedLine {
  readonly customId: string;
  readonly model: string;
}

/** Why a line may not; one entry of contract 2.9 `errors`, but for its number. */
export class LineError extends Error {
  override readonly name = 'LineError';

  constructor(
    readonly type: LineErrorType,
    message: string,
  ) {
    super(message);
  }
}

/** Contract 2.5. */
const CUSTOM_ID = /^[A-Za-z0-9_.:-]{1,64}$/;

/**
 * Every check of one line (contract 4.6 rule 2).
 *
 * @param claim takes a custom id, or throws LineError where an earlier line has it
 * @throws LineError
 */
export function checkLine(bytes: Buffer, models: LineModels, claim: (customId: string) => void): CheckedLine {
  const { custom_id: customId, model } = parseLine(bytes);
  if (typeof customId !== 'string' || !CUSTOM_ID.test(customId)) {
    throw new LineError(
      'invalid_custom_id',
      '`custom_id` must be 1 to 64 letters, digits, `_`, `.`, `:` or `-`.',
    );
  }
  claim(customId);
  if (model === undefined || model === null || model === '') {
    throw new LineError('model_required', 'The line names no `model`; a batch has no default.');
  }
  try {
    const { hasAssets } = readRequest(bytes, {
      knows: (id) => models.knows(id),
      allows: (id) => id !== null && models.allows(id),
      unknownModel: 'refuse',
    });
    if (hasAssets) throw new ApiError('images_not_supported', 'The model does not read images.');
  } catch (error) {
    if (error instanceof ApiError) throw lineErrorOf(error);
    throw error;
  }
  return { customId, model: model as string };
}

function parseLine(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new LineError('invalid_json', 'The line is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new LineError('invalid_line', 'The line must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** Of a live request's errors those that a line can have keep their type; a field of a wrong type is an invalid line. */
function lineErrorOf({ type, message }: ApiError): LineError {
  const known = LINE_ERRORS.find((each) => each === type);
  return new LineError(known ?? 'invalid_line', message);
}
