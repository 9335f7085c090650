import { LIMITS } from '../../api/index.js';

/**
 * A caller's name (of a question, label or model) for an error message: quoted, truncated to
 * `LIMITS.quotedNameCodePoints`, with control characters, invisible characters and lone surrogates escaped.
 */
export function quoteName(name: string): string {
  if (PLAIN.test(name)) return `"${name}"`;
  const cut = truncateCodePoints(name, LIMITS.quotedNameCodePoints);
  const shown = cut === name ? name : `${cut}…`;
  return JSON.stringify(shown).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

/** Names that need no escaping or truncation, which is most of them. */
const PLAIN = new RegExp(`^[\\w .:-]{0,${LIMITS.quotedNameCodePoints}}$`);

/** `\uXXXX` for each code unit. */
function escapeCharacter(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * The first Unicode code points of a string (the "characters" of contract 4.3 rule 6). Never splits a surrogate pair; a
 * lone surrogate counts as one. Takes time proportional to `max`.
 *
 * @param max how many code points to keep
 */
export function truncateCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
export function toWellFormed(text: string): string {
  // In every Node this project supports, but in TypeScript's library only from ES2024 on.
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
