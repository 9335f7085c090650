import { ApiError } from '../../api/index.js';
import { mayUse } from '../../decide/index.js';
import type { Catalog } from '../../engine/index.js';
import type { TaskShadow } from '../task-types.js';

/**
 * Reads `shadow` of the body of a PUT. Other fields of it are ignored.
 *
 * @param allowed the ids of the models that the caller may use; null: all
 * @throws ApiError `invalid_task`, `model_not_found`, `model_not_allowed`
 */
export function readShadow(
  value: unknown,
  catalog: Pick<Catalog, 'find'>,
  allowed: readonly string[] | null,
): TaskShadow | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ApiError('invalid_task', '`shadow` must be an object or null.');
  const { model, share } = value as Readonly<Record<string, unknown>>;
  if (typeof model !== 'string') throw new ApiError('invalid_task', '`model` of `shadow` must be a string.');
  if (typeof share !== 'number' || !(share > 0 && share <= 1))
    throw new ApiError('invalid_task', '`share` of `shadow` must be a number above 0 and at most 1.');
  const build = catalog.find(model);
  if (build === undefined)
    throw new ApiError(
      'model_not_found',
      'This server does not serve the model of `shadow`. GET /v1/models lists its models.',
    );
  if (!mayUse(build, allowed))
    throw new ApiError('model_not_allowed', 'The workspace may not use the model of `shadow`.');
  return { model, share };
}
