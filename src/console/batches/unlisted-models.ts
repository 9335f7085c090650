import type { Limits } from '../api/api-types.js';
import { modelNamed } from '../ask/models.js';
import type { CheckedFile } from './check-file.js';

/** Lines of a file whose model the limits of the key do not list. */
interface Unlisted {
  readonly lines: number;
  /** In the order of first use. */
  readonly models: readonly string[];
}

/**
 * The lines whose model is not in the limits; null if there are none. The server decides about them: the limits are of
 * another moment, and a key may use more names than they list, such as those of earlier builds.
 */
export function unlistedModels({ models }: Pick<CheckedFile, 'models'>, limits: Limits): Unlisted | null {
  const unlisted = models.filter(([name]) => name === '' || modelNamed(name, limits) === undefined);
  if (unlisted.length === 0) return null;
  return {
    lines: unlisted.reduce((sum, [, lines]) => sum + lines, 0),
    models: unlisted.map(([name]) => name),
  };
}
