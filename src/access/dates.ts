import { DAY_MS } from '../base/index.js';

/** All days and months of the ledger are in UTC. Instants are milliseconds since 1970. */

/** `2026-11-21` */
export const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** `2026-11` */
export const monthOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7);

/** The 31 possible days of a month written as `2026-11`, including some that do not exist. */
export const daysOf = (month: string): string[] =>
  Array.from({ length: 31 }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);

/** The last `count` days up to that of `instant`, which is the last of them. */
export const lastDays = (instant: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => dayOf(instant - (count - 1 - at) * DAY_MS));

/** The first millisecond of a day written as `2026-11-21`; null if there is no such day. */
export function parseDay(text: string): number | null {
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) || dayOf(instant) !== text ? null : instant;
}

/** The last day of a month written as `2026-11`; null if there is no such month. */
export function lastDayOf(month: string): string | null {
  const first = parseDay(`${month}-01`);
  if (first === null) return null;
  const date = new Date(first);
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0));
}

/** The month before that of `instant`. */
export const monthBefore = (instant: number): string => monthOf(Date.parse(`${monthOf(instant)}-01`) - 1);

/** The last millisecond of the day that begins at `start`. */
export const endOfDay = (start: number): number => start + DAY_MS - 1;

/** The last millisecond of the day after that of `instant` (contract 5 rule 8). */
export function endOfNextDay(instant: number): number {
  const today = Date.parse(dayOf(instant));
  return today + 2 * DAY_MS - 1;
}

/** The instant `days` days later. */
export const afterDays = (instant: number, days: number): number => instant + days * DAY_MS;
