import { TokenStore } from './token-store.js';
import type { Tokenizer } from './tokenizer.js';
import { tokensOfWords } from './words.js';

/** Bytes of the texts and tokens that a thread keeps, half of them for texts and half for words. */
export const TOKEN_CACHE_BYTES_MAX = 16 << 20;
/** Code units of the longest text that is stored: a longer one would displace too many others. */
export const CACHED_UNITS_MAX = 64 << 10;

/** What prompts need of a tokenizer. */
export type PromptTokenizer = Pick<Tokenizer, 'plain' | 'bytesOf'>;

/**
 * The tokens of texts that prompts repeat, such as questions, and of the words of texts that are new, such as most states.
 * The tokens of a text depend on nothing but the vocabulary, so a prompt has the same tokens with the cache and without.
 */
export class TokenCache {
  /** Texts that were found, and that were not. */
  hits = 0;
  misses = 0;
  private readonly texts: TokenStore;
  private readonly words: TokenStore;

  /** @param bytesMax 0: nothing is stored */
  constructor(bytesMax = TOKEN_CACHE_BYTES_MAX) {
    this.texts = new TokenStore(bytesMax / 2);
    this.words = new TokenStore(bytesMax / 2);
  }

  /** Bytes of all entries. */
  get bytes(): number {
    return this.texts.bytes + this.words.bytes;
  }

  /**
   * A tokenizer with the results of another one. They must not be changed.
   *
   * @param scope names the vocabulary, and whose texts share entries: the time of a request shows whether its texts are stored
   * @param joiners of the vocabulary (see `spaceJoiners`); null: texts are not cut into words
   */
  tokenizer(scope: string, tokenizer: Tokenizer, joiners: string | null): PromptTokenizer {
    const prefix = `${scope} `;
    const tokensOf =
      joiners === null
        ? undefined
        : (text: string) => tokensOfWords(text, joiners, tokenizer, this.words, prefix);
    return {
      bytesOf: (tokens) => tokenizer.bytesOf(tokens),
      plain: (text) => {
        if (text.length > CACHED_UNITS_MAX) return tokenizer.plain(text, tokensOf);
        const key = prefix + text;
        const known = this.texts.get(key);
        if (known !== undefined) {
          this.hits += 1;
          return known;
        }
        this.misses += 1;
        const tokens = tokenizer.plain(text, tokensOf);
        this.texts.add(key, tokens);
        return tokens;
      },
    };
  }
}
