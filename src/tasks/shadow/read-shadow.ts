import { ApiError, type ErrorType } from '../../api/index.js';
import { mayUse } from '../../decide/index.js';
import type { Catalog } from '../../engine/index.js';
import type { TaskShadow } from '../task-types.js';

/** `shadow` of the body of a PUT. */
interface SentShadow {
  readonly shadow: TaskShadow | null;
  /** Why no task can get this shadow now, as fields of an error; null: one can. */
  readonly refused: RefusedShadow | null;
}

export interface RefusedShadow {
  readonly type: ErrorType;
  readonly message: string;
}

/**
 * Reads `shadow` of the body of a PUT. Other fields of it are ignored. A model that the server does not serve, or the
 * workspace may not use, is returned with the reason: a task that has it already may be put again.
 *
 * @param allowed the ids of the models that the caller may use; null: all
 * @throws ApiError `invalid_task`
 */
export function readShadow(
  value: unknown,
  catalog: Pick<Catalog, 'find'>,
  allowed: readonly string[] | null,
): SentShadow {
  if (value === undefined || value === null) return { shadow: null, refused: null };
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ApiError('invalid_task', '`shadow` must be an object or null.');
  const { model, share } = value as Readonly<Record<string, unknown>>;
  if (typeof model !== 'string') throw new ApiError('invalid_task', '`model` of `shadow` must be a string.');
  if (typeof share !== 'number' || !(share > 0 && share <= 1))
    throw new ApiError('invalid_task', '`share` of `shadow` must be a number above 0 and at most 1.');
  return { shadow: { model, share }, refused: refusalOf(model, catalog, allowed) };
}

function refusalOf(
  model: string,
  catalog: Pick<Catalog, 'find'>,
  allowed: readonly string[] | null,
): RefusedShadow | null {
  const build = catalog.find(model);
  if (build === undefined)
    return {
      type: 'model_not_found',
      message:
        'This server does not serve the model of `shadow`. Name one of GET /v1/models, or leave `shadow` out.',
    };
  if (mayUse(build, allowed)) return null;
  return {
    type: 'model_not_allowed',
    message:
      'The workspace may not use the model of `shadow`. Name one that it may use, or leave `shadow` out.',
  };
}
