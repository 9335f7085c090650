const WHOLE = new Intl.NumberFormat('en');
export const whole = (value: number): string => WHOLE.format(value);

/** A probability or a confidence, with the four decimals of the interface. */
export const share = (value: number): string => value.toFixed(4);

export const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

/** A share with its interval: `97.3 % (95.1 to 98.9 %)`. */
export const percentWithin = (value: number, [low = 0, high = 0]: readonly number[]): string =>
  `${percent(value)} (${percent(low).replace(' %', '')} to ${percent(high)})`;

/** Smaller amounts are shown as less than this. */
const SMALLEST_SHOWN = 1e-6;

/**
 * An amount with at least two decimals and four significant digits, and at most six decimals: prices of single requests are
 * tiny. `exactMoney` has all digits.
 */
export function money(amount: number, currency: string): string {
  const isTiny = amount !== 0 && Math.abs(amount) < SMALLEST_SHOWN;
  if (isTiny) return `< ${inCurrency(SMALLEST_SHOWN, currency, 6)}`;
  return inCurrency(amount, currency, Math.min(6, decimalsOf(amount)));
}

/** Amounts have twelve decimals. */
const DECIMALS_MAX = 12;

/** An amount with all its digits: of a decimal string those beyond the 16 of a number, too. */
export const exactMoney = (amount: number | string, currency: string): string =>
  inCurrency(amount, currency, DECIMALS_MAX);

function inCurrency(amount: number | string, currency: string, decimals: number): string {
  try {
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: decimals,
    }).format(amount as Intl.StringNumericLiteral);
  } catch {
    // The operator's currency is no code of ISO 4217.
    return `${typeof amount === 'string' ? amount : amount.toFixed(decimals)} ${currency}`;
  }
}

function decimalsOf(amount: number): number {
  if (amount === 0 || Math.abs(amount) >= 1) return 2;
  return Math.min(12, 3 - Math.floor(Math.log10(Math.abs(amount))));
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** The power of 1,024 in which a number of bytes is shown. */
const scaleOf = (value: number): number =>
  Math.min(BYTE_UNITS.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10));

const scaled = (value: number, scale: number): string =>
  scale === 0 ? whole(value) : (value / 1_024 ** scale).toFixed(1);

export const bytes = (value: number): string => bytesIn(value, scaleOf(value));

const bytesIn = (value: number, scale: number): string => `${scaled(value, scale)} ${BYTE_UNITS[scale]}`;

/** A part of a whole, in the unit of the whole: `1.5 of 12.0 GiB`. */
export function bytesOf(part: number, total: number): string {
  const scale = scaleOf(total);
  return `${scaled(part, scale)} of ${bytesIn(total, scale)}`;
}

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

const SHORT_DAY = { month: 'short', day: 'numeric' } as const;
const MINUTE = { hour: 'numeric', minute: '2-digit' } as const;
/**
 * Instants are shown in the time zone of the browser, days as UTC days. With its name, an instant is not taken for one of
 * UTC, and the hour that is repeated when summer time ends is unambiguous.
 */
const ZONED = { year: 'numeric', ...SHORT_DAY, ...MINUTE, timeZoneName: 'short' } as const;
const DATE = new Intl.DateTimeFormat(undefined, ZONED);
const PRECISE = new Intl.DateTimeFormat(undefined, { ...ZONED, second: '2-digit' });
const READ = new Intl.DateTimeFormat(undefined, { ...SHORT_DAY, ...MINUTE, second: '2-digit' });

/** An instant with its seconds. */
export const preciseTime = (iso: string): string => PRECISE.format(new Date(iso));

/** When something was read, in milliseconds since 1970: a page may be open for days. */
export const readTime = (at: number): string => READ.format(new Date(at));

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The time of day of an instant in milliseconds, such as `18:32:10`. */
export const clockTime = (at: number): string => CLOCK.format(new Date(at));

export const time = (iso: string): string => DATE.format(new Date(iso));

/** A text with at most so many characters; an ellipsis is in place of the others. */
export function shortened(text: string, max: number): string {
  // A character has at most two units.
  const first = [...text.slice(0, 2 * max + 1)];
  return first.length <= max ? text : `${first.slice(0, max).join('')}…`;
}

/** `1 line`, `2 lines`. */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${whole(value)} ${value === 1 ? one : many}`;

/** A time span in its two largest units, such as `3 days 4 hours`. */
export function duration(seconds: number): string {
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3_600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [Math.floor(seconds) % 60, 'second'],
  ];
  const first = Math.max(
    0,
    parts.findIndex(([value]) => value > 0),
  );
  const shown = seconds < 1 ? parts.slice(-1) : parts.slice(first, first + 2);
  return shown.map(([value, unit]) => count(value, unit)).join(' ');
}
