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
