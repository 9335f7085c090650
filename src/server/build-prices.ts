import type { Price } from '../access/index.js';
import { StartError } from '../base/index.js';
import type { Catalog } from '../engine/index.js';
import type { Settings } from '../settings/index.js';

/** The price of every build, by its id. Throws StartError if a build has none: its answers would be free. */
export function pricesByBuild(
  billing: Pick<Settings['billing'], 'prices'>,
  catalog: Pick<Catalog, 'builds'>,
): ReadonlyMap<string, Price> {
  return new Map(
    catalog.builds.map(({ id, model }) => {
      const price = billing.prices.get(model.price_class);
      if (price !== undefined) return [id, price];
      throw new StartError(
        `billing.prices has no price class ${model.price_class}, which ${model.id} needs. Add it.`,
      );
    }),
  );
}
