import type { Catalog, CatalogBuild } from '../../engine/index.js';
import type { ModelListEntry } from '../../http/index.js';
import type { ModelSet } from './model-set.js';

/** A model or a build in the limits that an endpoint returns (contract 2.11 `models`). */
export interface OfferedModel
  extends Pick<ModelListEntry, 'id' | 'maxOptions' | 'readsImages' | 'contextTokens' | 'domain'> {
  /** Whether it answers requests that name no model. */
  readonly isDefault: boolean;
}

/** What `offeredModels` depends on. */
interface Terms {
  /** The model or the build that the endpoint serves; null: all. */
  readonly only: string | null;
  /** The model list of the endpoint. */
  readonly listed: readonly ModelListEntry[];
  /** The names that the list of the workspace has; null: it has no list. */
  readonly allowed: readonly string[] | null;
}

/**
 * The models of an endpoint, and the builds of them that the list of the workspace names, if the id of the model does not
 * mean them; of an endpoint of such a build, that build. The workspace may be allowed to use only some of the models.
 */
export function offeredModels(set: ModelSet, { only, listed, allowed }: Terms): OfferedModel[] {
  const { catalog } = set;
  const sole = only === null ? undefined : catalog.find(only);
  // What the id of its model means does not answer here.
  if (sole !== undefined && sole.id === only && isOlder(catalog, sole))
    return [{ id: only, isDefault: true, ...set.factsOf(only) }];
  const models = listed.map((each) => {
    const build = catalog.find(each.id);
    // The only model of an endpoint answers requests that name none.
    const isDefault = listed.length === 1 || (build === catalog.default && each.id === build.model.id);
    return { ...each, isDefault };
  });
  const builds = catalog.builds.filter(
    (build) => allowed?.includes(build.id) && isOlder(catalog, build) && isServed(catalog, build.id, only),
  );
  const pinned = builds.map(({ id }) => ({ id, isDefault: false, ...set.factsOf(id) }));
  return [...models, ...pinned];
}

/** Whether the id of its model means another build. */
const isOlder = (catalog: Catalog, { id, model }: CatalogBuild) => catalog.find(model.id)?.id !== id;

/** Whether an endpoint that serves `only` (null: everything) serves what a model name means. */
export function isServed(catalog: Catalog, name: string, only: string | null): boolean {
  const build = catalog.find(name);
  if (build === undefined || only === null) return build !== undefined;
  // An endpoint of a dated build serves that build, an endpoint of a model all builds of the model.
  return catalog.find(only)?.id === only ? build.id === only : catalog.listedId(name) === only;
}
