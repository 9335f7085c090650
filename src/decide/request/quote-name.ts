import { LIMITS } from '../../api/index.js';
import { truncateCodePoints } from './code-points.js';

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
