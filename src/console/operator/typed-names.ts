/** Characters of a name; the server decides. */
export const NAME_CHARACTERS_MAX = 64;

/** Whether a field for a name can be sent; '': there is none. An emoji is one character, as the server counts. */
export const isName = (text: string): boolean => [...text.trim()].length <= NAME_CHARACTERS_MAX;

/** The name in a field, for the server. */
export const nameOf = (text: string): string | null => (text.trim() === '' ? null : text.trim());
