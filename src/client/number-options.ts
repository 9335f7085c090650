/** The longest time that a timer takes, 24 days. A longer one ends at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Throws TypeError unless an option is a number of milliseconds that a timer takes, from `least`. */
export function requireMilliseconds(option: string, value: number, least: number): void {
  if (value >= least && value <= TIMER_MS_MAX) return;
  throw new TypeError(`${option}: must be a number of milliseconds from ${least} to ${TIMER_MS_MAX}.`);
}

/** Throws TypeError unless an option is a whole number from 0. */
export function requireCount(option: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new TypeError(`${option}: must be a whole number from 0.`);
}
