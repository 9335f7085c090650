import { showPrice } from '../../../access/index.js';
import type { OperatorModel, OperatorResponses } from '../../../api/index.js';
import { bytesOf, type CatalogBuild } from '../../../engine/index.js';
import type { Engines } from '../../engines.js';

/** The models of the manifest, in its order. */
export function showModels(engines: Engines, currency: string): OperatorResponses['listModels'] {
  const { catalog } = engines;
  const models = [...new Set(catalog.builds.map(({ model }) => model))];
  const show = (model: CatalogBuild['model']): OperatorModel => {
    const builds = catalog.builds.filter((build) => build.model === model);
    const { live, batch } = engines.priceOf((catalog.find(model.id) as CatalogBuild).id);
    return {
      id: model.id,
      description: model.description,
      release_date: model.release_date,
      default: catalog.default.model === model,
      answers_for: model.answers_for ?? [],
      reads_images: model.reads_images,
      price_class: model.price_class,
      prices: { live: showPrice(live), batch: showPrice(batch) },
      builds: builds.map((build) => ({
        id: build.id,
        loaded: engines.get(build.id) !== undefined,
        bytes: bytesOf(build),
        max_options: engines.current.maxOptions(build.id),
      })),
    };
  };
  return { currency, models: models.map(show) };
}
