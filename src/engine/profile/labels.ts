import { type Format, ProfileError } from './profile-types.js';
import type { Tokenizer } from './tokenizer.js';

/** Maximum number of labels of a model, and so of options of a question. */
export const LABELS_MAX = 255;

/** The labels that every model has, for the options that any question may have (contract 2.2: 26). */
export const LETTERS: readonly string[] = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

/** UTF-16 units of a text before the answer with which pairs are tokenized: what stands before them merges with no label. */
const ENDING_UNITS_MAX = 64;

/** What stands before an option in a prompt, and whose logit at the answer position is the option's. */
export interface Label {
  readonly text: string;
  readonly token: number;
}

/** The labels that a model uses. */
export interface LabelSet {
  /** In the order in which options get them: A to Z, and pairs of letters. A question may have as many options. */
  readonly list: readonly Label[];
  /** Why there are no pairs; null if there are. */
  readonly lettersOnly: string | null;
  /** The template took too long for the most options, which a busy host can cause, too. */
  readonly isSlow?: true;
}

/**
 * The labels of a vocabulary, in the order in which they are given to options: A to Z, which it must have, and then the
 * pairs of letters from AA to ZZ that it has, until there are `LABELS_MAX`. Each is a single token at the answer
 * position, different from the others.
 *
 * @param endings the texts that can stand right before the answer; a label has the same token after each
 * @throws ProfileError naming a letter that is no label
 */
export function findLabels(tokenizer: Tokenizer, format: Format, endings: readonly string[]): Label[] {
  const placesAfter = (texts: readonly string[]) =>
    format.labelBoundary === 'apart' ? [apart(tokenizer)] : texts.map(joined(tokenizer));
  const places = placesAfter(endings);
  const letters = LETTERS.map((text) => ({ text, token: letterToken(text, places) }));
  const used = new Set(letters.map(({ token }) => token));
  if (used.size !== letters.length) throw new ProfileError('two letters share a token');
  const labels: Label[] = [...letters];
  const pairPlaces = placesAfter([...new Set(endings.map((ending) => ending.slice(-ENDING_UNITS_MAX)))]);
  for (const text of PAIRS) {
    if (labels.length === LABELS_MAX) break;
    const token = pairToken(text, pairPlaces);
    if (token === null || used.has(token)) continue;
    used.add(token);
    labels.push({ text, token });
  }
  return labels;
}

/** Whether labels keep their tokens after another text, of which the end counts. */
export function keepsLabels(
  tokenizer: Tokenizer,
  format: Format,
  ending: string,
  labels: readonly Label[],
): boolean {
  if (format.labelBoundary === 'apart') return true;
  const tokenOf = joined(tokenizer)(ending.slice(-ENDING_UNITS_MAX));
  return labels.every(({ text, token }) => tokenOf(text) === token);
}

/** The token of a label in one place; null if it is not a single one that stands for the label and nothing else. */
type AnswerPlace = (label: string) => number | null;

/** The format tokenizes the label on its own. */
function apart(tokenizer: Tokenizer): AnswerPlace {
  return (label) => {
    const tokens = tokenizer.plain(label);
    return tokens.length === 1 ? checked(tokenizer, label, tokens[0]) : null;
  };
}

/** The label is tokenized together with the text before it, which must keep its tokens. */
function joined(tokenizer: Tokenizer): (ending: string) => AnswerPlace {
  return (ending) => {
    const before = tokenizer.plain(ending);
    return (label) => {
      const tokens = tokenizer.plain(ending + label);
      if (tokens.length !== before.length + 1) return null;
      if (before.some((token, index) => tokens[index] !== token)) return null;
      return checked(tokenizer, label, tokens[before.length]);
    };
  };
}

function checked(tokenizer: Tokenizer, label: string, token: number | undefined): number | null {
  if (token === undefined || tokenizer.isByte(token)) return null;
  return tokenizer.piece(token).toString('utf8') === label ? token : null;
}

function letterToken(letter: string, places: readonly AnswerPlace[]): number {
  const [token, ...others] = places.map((tokenOf) => tokenOf(letter));
  if (token === undefined || token === null || others.includes(null))
    throw new ProfileError(`the letter ${letter} is not a single token at the answer position`);
  if (others.some((other) => other !== token))
    throw new ProfileError('option letters must tokenize alike for all question types');
  return token;
}

function pairToken(pair: string, [first, ...others]: readonly AnswerPlace[]): number | null {
  const token = first?.(pair) ?? null;
  return others.every((tokenOf) => tokenOf(pair) === token) ? token : null;
}
