/**
 * Characters that move the cursor, change colours or the order of what is shown, end a line, or are not seen: controls
 * (C0, DEL, C1), line separators, lone surrogates, bidi embeddings, overrides and isolates, invisible operators, byte
 * order marks, interlinear annotations and tags. The joiners of emoji and of Persian, the marks of direction, and the
 * number signs of Arabic are text.
 */
const UNSAFE =
  '[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u00ad\\u200b\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]';
/** The flag of a region, such as Scotland: a black flag, tags, and the tag that ends them. */
const FLAG = '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{1,6}\\u{e007f}';
const FOUND = new RegExp(`${FLAG}|${UNSAFE}`, 'gu');

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (found: string, write: (character: string) => string): string =>
  found.startsWith('\u{1f3f4}') ? found : write(found);

/** Text on one line of a terminal: what could change how it is shown is written as an escape, such as `\u{1b}`. */
export const visible = (text: string): string =>
  text.replace(FOUND, (found) =>
    escaped(found, (each) => NAMES[each] ?? `\\u{${(each.codePointAt(0) as number).toString(16)}}`),
  );

/** The same for several lines, which line feeds separate. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');

/** Lines of JSON for a terminal: the same values, with the escapes of JSON. `JSON.stringify` itself escapes C0 only. */
export const visibleJson = (json: string): string =>
  json.replace(FOUND, (found) => (found === '\n' ? found : escaped(found, unicodeEscapes)));

const unicodeEscapes = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

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

/** A whole number with separators: `20,000`. The first `toLocaleString` of a process takes 17 ms of processor time. */
export const showCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Milliseconds since 1970 in ISO 8601: `2026-11-21T00:00:00.000Z`; null stays null. */
export function showInstant(instant: number): string;
export function showInstant(instant: number | null): string | null;
export function showInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/** Milliseconds since 1970 in ISO 8601 with an offset, as callers get it: `2026-11-21T00:00:00.000+00:00`. */
export const showWithOffset = (instant: number): string =>
  new Date(instant).toISOString().replace('Z', '+00:00');

/** An instant for people, in UTC: `2026-11-21 09:30:05Z`. It takes milliseconds since 1970, or ISO 8601 text. */
export const showTime = (instant: number | string): string =>
  new Date(instant)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');

/** JSON, indented for people. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
