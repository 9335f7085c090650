import { exceedsCodePoints } from '../base/index.js';
import { AccessError } from './workspaces.js';

/** Characters of the name of a workspace or a key. */
export const NAME_CHARACTERS_MAX = 64;
/** Control characters, ends of lines, half characters, and those that change the direction of the text around them. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/**
 * Whether a text is stored as it is and shown in one line. PostgreSQL refuses half characters and NUL in what it keeps as
 * JSON.
 */
export const isPlainLine = (text: string): boolean => !UNSAFE.test(text);

/** Throws AccessError for a text that cannot be the name of a workspace or a key; null: it has none. */
export function checkName(name: string | null | undefined): void {
  if (name === null || name === undefined) return;
  const isBounded = name !== '' && !exceedsCodePoints(name, NAME_CHARACTERS_MAX) && name.trim() === name;
  if (isBounded && isPlainLine(name)) return;
  throw new AccessError(
    'name',
    `it must be one line of 1 to ${NAME_CHARACTERS_MAX} characters without spaces at its ends or control characters.`,
  );
}

/** What names are sorted and searched by: the name in lower case. */
export const sortedName = (name: string | null): string | null => name?.toLowerCase() ?? null;
