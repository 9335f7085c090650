import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SPACE, TOKEN_TYPES, tinyVocabulary, type Vocabulary } from '../../models/tiny/vocabulary.js';
import { random } from '../../src/base/index.js';
import { sentences } from '../../src/load/index.js';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
/** Tokens of the vocabularies of Gemma 3 and Gemma 4. */
export const LARGE_VOCABULARY = 262_144;
const GENERATED_CHARACTERS = 100_000;

/**
 * A vocabulary of the size of Gemma's for a model with random weights. The words of docs/ and of generated requests are
 * one token each, built by as many merges as they have letters, as in a trained vocabulary; the other tokens are words
 * with endings that no text has.
 *
 * @param size tokens; there are more if the words alone are more
 */
export function largeVocabulary(size = LARGE_VOCABULARY): Vocabulary {
  const words = wordsOf(englishTexts());
  const { tokens, types, merges } = tinyVocabulary({ also: words.flatMap((word) => [SPACE + word, word]) });
  const all = new Set(tokens);
  const allMerges = [...merges];
  for (const [word, ending] of pairs(words, words)) {
    if (all.size >= size) break;
    const token = SPACE + word + ending;
    if (all.has(token)) continue;
    all.add(token);
    allMerges.push(`${SPACE}${word} ${ending}`);
  }
  const added = Array<number>(all.size - tokens.length).fill(TOKEN_TYPES.normal);
  return { tokens: [...all], types: [...types, ...added], merges: allMerges };
}

function englishTexts(): string {
  const files = readdirSync(DOCS).filter((name) => name.endsWith('.md'));
  const docs = files.map((name) => readFileSync(join(DOCS, name), 'utf8'));
  return [...docs, sentences(random(1), GENERATED_CHARACTERS)].join('\n');
}

/** The different words of a text, that which occurs most often first: the earlier a word, the earlier its merges. */
function wordsOf(text: string): string[] {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/[A-Za-z]+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
}

function* pairs(firsts: readonly string[], seconds: readonly string[]): Generator<readonly [string, string]> {
  for (const second of seconds) for (const first of firsts) yield [first, second];
}
