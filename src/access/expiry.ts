import { afterDays, endOfDay, parseDay } from './calendar.js';
import { AccessError } from './errors.js';

/** A hundred years: more is a slip of the keyboard. */
const DAYS_MAX = 36_500;

/**
 * The instant until which a key is to work: `never` (null), a number of days from `now`, or the end of a UTC day
 * such as `2027-01-31`. Throws AccessError where it is none of these, or is over.
 */
export function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= DAYS_MAX) {
    return afterDays(now, Number(text));
  }
  const day = parseDay(text);
  if (day === null) {
    throw new AccessError(
      `expires: "${text}" is not never, a number of days from 1 to ${DAYS_MAX}, or a day such as 2027-01-31.`,
    );
  }
  if (endOfDay(day) <= now) throw new AccessError(`expires: ${text} is over.`);
  return endOfDay(day);
}
