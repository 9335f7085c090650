import { LIMITS } from '../../api/index.js';
import { indented } from './json-node.js';
import { readJson } from './read-json.js';

/** How much of a state the model reads. */
export interface Extent {
  /** Characters of the state as the model would read it, counted up to `counted`. */
  readonly characters: number;
  /** Whether there are more characters than were counted. */
  readonly more: boolean;
  /** Where in the source the model stops reading; null if it reads everything, or where is not known. */
  readonly end: number | null;
  /** What is wrong with the JSON; null if nothing is, or if the state is a text. */
  readonly problem: string | null;
}

const MAX = LIMITS.stateCodePoints;
/** Longer texts are not counted to their end, and longer JSON is not indented, while someone types. */
const COUNTED_MAX = 1_000_000;
const INDENTED_MAX = 200_000;

/** The index behind a number of code points, and how many there are up to the end. */
function measure(text: string, most: number): { end: number; characters: number } {
  let characters = 0;
  let end = 0;
  while (end < text.length && characters < most) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
    characters += 1;
  }
  return { end, characters };
}

/** The extent of a state that is a text. */
export function extentOfText(source: string): Extent {
  const { end } = measure(source, MAX);
  const { characters, end: counted } = measure(source, COUNTED_MAX);
  return {
    characters,
    more: counted < source.length,
    end: end < source.length ? end : null,
    problem: null,
  };
}

/**
 * The extent of a state that is JSON, which the model reads indented by two spaces. The place where it stops reading is
 * known if the source is written like that; `formatJson` does it.
 */
export function extentOfJson(source: string): Extent {
  if (source.length > INDENTED_MAX) return { characters: MAX, more: true, end: null, problem: null };
  try {
    const read = formatJson(source);
    const extent = extentOfText(read);
    return { ...extent, end: read === source ? extent.end : null };
  } catch (error) {
    return { characters: 0, more: false, end: null, problem: (error as Error).message };
  }
}

/** JSON as the model reads it. Throws SyntaxError. */
export const formatJson = (source: string): string => indented(readJson(source));
