import type { Catalog, CatalogBuild } from '../engine/index.js';

/**
 * The build that answers at an endpoint, or on a path, of one model. `pinned` is a model, and the request may name one of its
 * builds (contract 9); everything else that it names is ignored. Or `pinned` is a build, which always answers.
 */
export function pinnedBuild(
  catalog: Pick<Catalog, 'find'>,
  pinned: string,
  named: unknown,
): CatalogBuild | undefined {
  const build = catalog.find(pinned);
  if (build === undefined || build.id === pinned || typeof named !== 'string') return build;
  const other = catalog.find(named);
  return other?.id === named && other.model.id === build.model.id ? other : build;
}
