/**
 * Money is an integer number of units of 10⁻¹² of the currency, as a BigInt: £0.0015 per million tokens is 1,500 units per
 * token. No amount is ever a floating-point number.
 */
export type Amount = bigint;

const DECIMALS = 12;
const ONE = 10n ** BigInt(DECIMALS);
/** Prices are stated per this many tokens. */
const PRICED_TOKENS = 1_000_000n;
/** Digits before the decimal point: more than anyone needs, fewer than a stored amount may have. */
const WHOLE_DIGITS_MAX = 15;

const DECIMAL_TEXT = new RegExp(`^(-?)(\\d{1,${WHOLE_DIGITS_MAX}})(?:\\.(\\d{1,${DECIMALS}}))?$`);

/** Parses a decimal such as `12.50`. Null if it is not one, or has more than 12 decimals. */
export function parseAmount(text: string): Amount | null {
  const match = DECIMAL_TEXT.exec(text);
  if (match === null) return null;
  const [, sign, whole, fraction = ''] = match;
  const amount = BigInt(whole as string) * ONE + BigInt(fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -amount : amount;
}

/** An amount as an exact decimal with at least two decimals. */
export function showAmount(amount: Amount): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${fraction}`;
}

/** Parses a price per million tokens into units per token. Null if it is negative or not a whole number of units. */
export function parsePrice(text: string): Amount | null {
  const perMillion = parseAmount(text);
  if (perMillion === null || perMillion < 0n || perMillion % PRICED_TOKENS !== 0n) return null;
  return perMillion / PRICED_TOKENS;
}

/** A price in units per token, as an exact decimal per million tokens. */
export const showPrice = (price: Amount): string => showAmount(price * PRICED_TOKENS);

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

/** The exact amount of a charge. */
export const costOf = ({ inputTokens, price }: Charge): Amount => BigInt(inputTokens) * price;
