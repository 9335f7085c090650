import { LIMITS } from '../../api/index.js';

/**
 * A caller's name (of a question, a label, a model) as an error message repeats it: in quotes, cut to
 * `LIMITS.quotedNameCodePoints`, with control characters, invisible ones and lone surrogates as escapes.
 */
export function quoteName(name: string): string {
  if (PLAIN.test(name)) return `"${name}"`;
  const cut = truncateCodePoints(name, LIMITS.quotedNameCodePoints);
  const shown = cut === name ? name : `${cut}…`;
  return JSON.stringify(shown).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

/** What stands in quotes as it is: most names, of which an error that is not made quotes none. */
const PLAIN = new RegExp(`^[\\w .:-]{0,${LIMITS.quotedNameCodePoints}}$`);

/** `\uXXXX` for each code unit. */
function escapeCharacter(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * The first Unicode code points of a text ("characters" of contract 4.3 rule 6). Never cuts a surrogate
 * pair; a lone surrogate counts as one. Time grows with `max`, not with the text.
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

/** The text with every lone surrogate, which UTF-8 cannot write, as U+FFFD. */
export function toWellFormed(text: string): string {
  // In every Node this project supports, but in TypeScript's library only from ES2024 on.
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
