import { Merges } from './merges.js';
import { CAPITALISED, OTHER_CHARACTERS, PIECES, SIGNS, WORDS } from './words.js';

/** How the tokenizer writes a space. */
export const SPACE = '\u2581';

/** The kinds of token, with their numbers in the file. */
export const TOKEN_TYPES = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 } as const;

/** The ids of the tokens that Gemma puts first. */
export const SPECIAL_IDS = { pad: 0, eos: 1, bos: 2, unk: 3, mask: 4 } as const;

const LONGEST_RUN = 31;
const PAIR_ROWS = 'ABCD';
const UPPER = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const LETTERS = [...UPPER, ...UPPER.map((letter) => letter.toLowerCase())];

/** Tokens that only a template may write. */
const CONTROL = [
  ...['<pad>', '<eos>', '<bos>', '<unk>', '<mask>', '<|turn>', '<turn|>', '<|think|>', '<|tool>', '<tool|>'],
  ...['<|image>', '<image|>', '<|image|>', '<|audio>', '<audio|>', '<|audio|>', '<|video|>'],
];

/** Tokens that converted Gemma-4 files mark as user-defined: a tokenizer finds them in any text. */
const VISIBLE = [
  ...[
    '<|channel>',
    '<channel|>',
    '<|tool_call>',
    '<tool_call|>',
    '<|tool_response>',
    '<tool_response|>',
    '<|"|>',
  ],
];

/** What a vocabulary may do differently from the usual one. */
export interface VocabularyOptions {
  /** Tokens to leave out, by their text: `['B', '<0x42>']` makes a letter that is no token at all. */
  readonly without?: readonly string[];
  /** More words to make one token, with `▁` for a space: `['(A']` joins a label to its bracket. */
  readonly also?: readonly string[];
  /** Whether channel and tool tokens are control tokens and not, as in converted files, user-defined ones. */
  readonly strictSpecials?: boolean;
}

/** A vocabulary as a model file holds it. */
export interface Vocabulary {
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  readonly merges: readonly string[];
}

/** Builds the vocabulary of the tiny models: a small relative of Gemma-4's, which can write any text. */
export function tinyVocabulary(options: VocabularyOptions = {}): Vocabulary {
  const merges = wordMerges(options.also ?? []);
  const types = new Map<string, number>();
  const put = (type: number, tokens: readonly string[]) => {
    for (const token of tokens) if (!types.has(token)) types.set(token, type);
  };
  put(TOKEN_TYPES.control, CONTROL);
  put(options.strictSpecials ? TOKEN_TYPES.control : TOKEN_TYPES.userDefined, VISIBLE);
  put(
    TOKEN_TYPES.byte,
    Array.from({ length: 256 }, (_, byte) => byteToken(byte)),
  );
  put(TOKEN_TYPES.normal, runs('\n'));
  put(TOKEN_TYPES.normal, ['\t', SPACE, ...printable(), ...OTHER_CHARACTERS, ...merges.tokens]);
  types.set('<unk>', TOKEN_TYPES.unknown);

  const missing = new Set(options.without);
  for (const token of missing) types.delete(token);
  return {
    tokens: [...types.keys()],
    types: [...types.values()],
    merges: merges.list.filter((merge) => {
      const [left, right] = merge.split(' ') as [string, string];
      return ![left, right, left + right].some((part) => missing.has(part));
    }),
  };
}

/** The text of the token for a byte that no other token covers. */
export function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

function wordMerges(also: readonly string[]): Merges {
  const merges = new Merges();
  const add = (words: readonly string[]) => {
    for (const word of words) merges.add(word);
  };
  const capitalised = CAPITALISED.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const spaced = (words: readonly string[]) => words.map((word) => SPACE + word);
  add(also);
  add(runs(SPACE).slice(1));
  add(SIGNS);
  add(PIECES);
  add(WORDS);
  add(capitalised);
  add([...PAIR_ROWS].flatMap((row) => UPPER.map((letter) => row + letter)));
  add(spaced([...WORDS, ...capitalised, ...PIECES, ...LETTERS, '(', '"', '-', '{', '[']));
  return merges;
}

function runs(character: string): string[] {
  return Array.from({ length: LONGEST_RUN }, (_, more) => character.repeat(more + 1));
}

function printable(): string[] {
  return Array.from({ length: 0x7e - 0x20 }, (_, more) => String.fromCharCode(0x21 + more));
}
