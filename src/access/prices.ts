import { type Amount, parsePrice } from './money.js';
import { AccessError } from './workspaces.js';

/** Live calls and batch lines have prices and counters of their own. */
export type Kind = 'live' | 'batch';

/** Units per input token. */
export type Price = Readonly<Record<Kind, Amount>>;

/** What is to be charged: a model's input tokens at a price. */
export interface Charge {
  readonly model: string;
  readonly kind: Kind;
  readonly inputTokens: number;
  /** Units per token. */
  readonly price: Amount;
}

/** Contract 8: pounds per million input tokens. */
export const DEFAULT_PRICES = 'decider-g-12b=0.0015/0.00075,decider-g-31b=0.005/0.0025';

/**
 * Reads prices written as `class=live/batch,…`, in units of the currency per million input tokens, by price class.
 * Throws AccessError.
 */
export function readPrices(text: string): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>();
  for (const entry of text.split(',')) {
    const match = /^\s*([^=\s]+)=([^/]+)\/([^/]+?)\s*$/.exec(entry);
    const live = parsePrice(match?.[2] ?? '');
    const batch = parsePrice(match?.[3] ?? '');
    if (match === null || live === null || batch === null) {
      throw new AccessError(
        `billing.prices: "${entry.trim()}" is not <class>=<live>/<batch>, prices per million tokens with at most six decimals.`,
      );
    }
    const name = match[1] as string;
    if (prices.has(name)) throw new AccessError(`billing.prices: ${name} is named twice.`);
    prices.set(name, { live, batch });
  }
  return prices;
}
