import type { Kind } from '../access/index.js';
import { Catalog, ModelError, readManifest } from '../engine/index.js';
import type { Prices } from '../evaluation/index.js';
import type { Settings } from '../settings/index.js';

/** A build is named after its model and its date. */
const BUILD = /^(.+)-\d{8}$/;

/** The prices of the configuration: of models of the manifest by their price class, of others by their name. */
export async function pricesFor({ models, billing }: Settings, kind: Kind): Promise<Prices> {
  const catalog = await catalogOf(models);
  return {
    currency: billing.currency,
    of(model) {
      const named = catalog?.find(model)?.model.price_class ?? BUILD.exec(model)?.[1] ?? model;
      return billing.prices.get(named)?.[kind] ?? null;
    },
  };
}

/** Null without a manifest: a server elsewhere can be evaluated without models here. */
async function catalogOf(models: string): Promise<Catalog | null> {
  try {
    return new Catalog(await readManifest(models), models);
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}
