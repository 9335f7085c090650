import { type Format, ProfileError } from './profile-types.js';
import type { Tokenizer } from './tokenizer.js';

/** A to Z: one letter for each option a question can have (contract 2.2: 26). */
export const LABELS: readonly string[] = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i));

/**
 * The token of each label, verified to be single and distinct at the answer position: right after the last text of the
 * prompt. Throws ProfileError naming the letter.
 */
export function labelTokens(tokenizer: Tokenizer, format: Format, lastText: string): Int32Array {
  const before = tokenizer.plain(lastText);
  const tokens = LABELS.map((label) => {
    const token =
      format.labelBoundary === 'apart'
        ? single(tokenizer.plain(label))
        : next(before, tokenizer.plain(lastText + label));
    if (token === null || tokenizer.isByte(token) || tokenizer.piece(token).toString('utf8') !== label) {
      throw new ProfileError(`the letter ${label} is not a single token at the answer position`);
    }
    return token;
  });
  if (new Set(tokens).size !== tokens.length) throw new ProfileError('two letters share a token');
  return Int32Array.from(tokens);
}

const single = (tokens: Int32Array) => (tokens.length === 1 ? (tokens[0] ?? null) : null);

function next(before: Int32Array, joined: Int32Array): number | null {
  if (joined.length !== before.length + 1) return null;
  if (before.some((token, index) => joined[index] !== token)) return null;
  return joined[before.length] ?? null;
}
