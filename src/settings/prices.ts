import { type Price, parsePrice, showPrice } from '../access/index.js';
import { ENTRIES_MAX, InvalidValue, type Setting } from './kinds.js';

/** By price class. */
export type Prices = ReadonlyMap<string, Price>;

/** Contract 8: pounds per million input tokens. */
export const DEFAULT_PRICES = 'decider-g-12b=0.0015/0.00075,decider-g-31b=0.005/0.0025';

/**
 * Prices per million input tokens by price class. In JSON `{"small": {"live": 0.0015, "batch": 0.00075}}`, each price
 * a number or a decimal string; as a variable, and in JSON too, `small=0.0015/0.00075,…`.
 */
export function prices(meaning: string): Setting<Prices> {
  return {
    kind: 'map',
    default: pricesFromText(DEFAULT_PRICES),
    defaultText: DEFAULT_PRICES,
    meaning,
    reloads: true,
    fromText: pricesFromText,
    fromJson: (value) => (typeof value === 'string' ? pricesFromText(value) : pricesFromJson(value)),
  };
}

function pricesFromText(text: string): Prices {
  const found = new Map<string, Price>();
  for (const entry of text.split(',')) {
    const [, name, live, batch] = /^\s*([^=\s]+)=([^/]+)\/([^/]+?)\s*$/.exec(entry) ?? [];
    const price = readPrice(live, batch);
    if (name === undefined || price === null) {
      throw new InvalidValue(
        `has the entry "${entry.trim()}", which is not <class>=<live>/<batch>; a price is per million tokens and has at most 6 decimals.`,
      );
    }
    if (found.has(name)) throw new InvalidValue(`names the price class ${name} twice.`);
    found.set(name, price);
  }
  return bounded(found);
}

function pricesFromJson(value: unknown): Prices {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidValue('must be an object such as {"<class>": {"live": 0.0015, "batch": 0.00075}}.');
  }
  const found = new Map<string, Price>();
  for (const [name, entry] of Object.entries(value)) {
    const { live, batch, ...others } = Object(entry);
    const price = readPrice(live, batch);
    if (price === null || Object.keys(others).length > 0) {
      throw new InvalidValue(
        `needs exactly \`live\` and \`batch\` for ${JSON.stringify(name)}: prices per million tokens with at most 6 decimals.`,
      );
    }
    found.set(name, price);
  }
  return bounded(found);
}

/** The JSON form of prices. */
export const pricesToJson = (prices: Prices): Record<string, { live: string; batch: string }> =>
  Object.fromEntries(
    [...prices].map(([name, { live, batch }]) => [name, { live: showPrice(live), batch: showPrice(batch) }]),
  );

/** Decimal strings, or numbers: the shortest text that gives a number back is what the operator wrote. */
function readPrice(live: unknown, batch: unknown): Price | null {
  const [forLive, forBatch] = [live, batch].map((price) =>
    typeof price === 'string' || typeof price === 'number' ? parsePrice(String(price)) : null,
  );
  return forLive == null || forBatch == null ? null : { live: forLive, batch: forBatch };
}

function bounded(found: Prices): Prices {
  if (found.size >= 1 && found.size <= ENTRIES_MAX) return found;
  throw new InvalidValue(`must have 1 to ${ENTRIES_MAX} price classes, and has ${found.size}.`);
}
