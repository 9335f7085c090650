import { WHOLE_UNITS_MAX } from './long-texts.js';
import type { TokenStore } from './token-store.js';
import { concatenate, type Tokenizer } from './tokenizer.js';

/** Code units of the longest word whose tokens are stored. */
const WORD_UNITS_MAX = 64;
const SPACE = 0x20;
/** How vocabularies write a space. */
const WRITTEN_SPACE = 0x2581;

/**
 * Cuts a text before the spaces that no merge of the vocabulary joins to the character before them, so that the tokens of
 * a text are those of its words.
 *
 * @param joiners the characters that a merge may join to a following space (see `spaceJoiners`)
 */
export function wordsOf(text: string, joiners: string): string[] {
  const words: string[] = [];
  let start = 0;
  let before = SPACE;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (
      unit === SPACE &&
      before !== SPACE &&
      before !== WRITTEN_SPACE &&
      !joiners.includes(text[at - 1] ?? '')
    ) {
      words.push(text.slice(start, at));
      start = at;
    }
    before = unit;
  }
  words.push(text.slice(start));
  return words;
}

/** What tokenizing words needs. */
type WordTokenizer = Pick<Tokenizer, 'whole' | 'piece'>;

/**
 * The tokens of a text without user-defined tokens. Only words that are not in the store are tokenized: those that follow
 * each other as one text, because a call of llama.cpp takes as long as several words.
 *
 * @param scope the beginning of the keys
 */
export function tokensOfWords(
  text: string,
  joiners: string,
  tokenizer: WordTokenizer,
  store: TokenStore,
  scope: string,
): Int32Array {
  if (text.length > WHOLE_UNITS_MAX) return tokenizer.whole(text);
  const found: Int32Array[] = [];
  let missing: string[] = [];
  const tokenizeMissing = () => {
    if (missing.length === 0) return;
    const tokens = tokenizer.whole(missing.join(''));
    found.push(tokens);
    for (const [word, own] of divided(missing, tokens, tokenizer)) store.add(scope + word, own);
    missing = [];
  };
  for (const word of wordsOf(text, joiners)) {
    const known = word.length > WORD_UNITS_MAX ? undefined : store.get(scope + word);
    if (known === undefined) missing.push(word);
    else {
      tokenizeMissing();
      found.push(known);
    }
  }
  tokenizeMissing();
  return concatenate(found);
}

/**
 * Divides the tokens of successive words among the words that are short enough to be stored. None if the tokens do not
 * stand for the bytes of the words, as where the vocabulary has no token for a character.
 */
function divided(
  words: readonly string[],
  tokens: Int32Array,
  tokenizer: WordTokenizer,
): Array<readonly [string, Int32Array]> {
  const pieces = Array.from(tokens, (token) => tokenizer.piece(token));
  if (!Buffer.concat(pieces).equals(Buffer.from(words.join('')))) return [];
  const own: Array<readonly [string, Int32Array]> = [];
  let end = 0;
  for (const word of words) {
    const start = end;
    for (let left = Buffer.byteLength(word); left > 0; end++) left -= pieces[end]?.length ?? left;
    if (word.length <= WORD_UNITS_MAX) own.push([word, tokens.slice(start, end)]);
  }
  return own;
}
