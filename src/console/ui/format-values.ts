const WHOLE = new Intl.NumberFormat('en');
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const whole = (value: number): string => WHOLE.format(value);

/** A probability or a confidence, with the four decimals of the interface. */
export const share = (value: number): string => value.toFixed(4);

export const percent = (value: number): string =>
  `${(value * 100).toFixed(value === 0 || value === 1 ? 0 : 1)} %`;

/** An amount with at least two decimals and four significant digits: prices of single requests are tiny. */
export function money(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: decimalsOf(amount),
    }).format(amount);
  } catch {
    // The operator's currency is no code of ISO 4217.
    return `${amount.toFixed(decimalsOf(amount))} ${currency}`;
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

const PRECISE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** An instant with its seconds. */
export const preciseTime = (iso: string): string => PRECISE.format(new Date(iso));

export const time = (iso: string): string => DATE.format(new Date(iso));

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
