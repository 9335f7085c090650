import { visible } from './visible.js';

const CHARACTERS_MAX = 200;

/** Prepares a string from another server for a terminal or a report: one line of at most 200 characters, before escapes. */
export const printable = (text: string): string =>
  visible([...text.slice(0, 2 * CHARACTERS_MAX)].slice(0, CHARACTERS_MAX).join(''));

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in decimal units with two to three digits: `512 B`, `4.9 GB`, `120 MB`. */
export function showBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be shown as 1000.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Milliseconds since 1970 in ISO 8601: `2026-11-21T00:00:00.000Z`; null stays null. */
export function showInstant(instant: number): string;
export function showInstant(instant: number | null): string | null;
export function showInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/** JSON, indented for people. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
