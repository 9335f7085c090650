/**
 * A list of byte-pair merges that grows so that every word given to it ends as one token.
 *
 * A word's new merges always come after all earlier ones, and a tokenizer applies the
 * earliest merge it can: so nothing added later changes how an earlier word is put together.
 */
export class Merges {
  readonly #ranks = new Map<string, number>();
  readonly #results: string[] = [];

  /** The merges in order, each `left right`. */
  get list(): readonly string[] {
    return [...this.#ranks.keys()];
  }

  /** The tokens the merges make, in the order of their first merge, each once. */
  get tokens(): readonly string[] {
    return [...new Set(this.#results)];
  }

  /** Splits a text as a tokenizer with these merges would (no newlines, spaces written as U+2581). */
  split(text: string): string[] {
    const parts = [...text];
    for (;;) {
      let best = Number.POSITIVE_INFINITY;
      let at = -1;
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = this.#ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Number.POSITIVE_INFINITY;
        if (rank < best) {
          best = rank;
          at = i;
        }
      }
      if (at < 0) return parts;
      parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
    }
  }

  /** Makes `word` one token, by joining from the left whatever it splits into so far. */
  add(word: string): void {
    for (let parts = this.split(word); parts.length > 1; parts = this.split(word)) {
      this.#ranks.set(`${parts[0]} ${parts[1]}`, this.#ranks.size);
      this.#results.push(`${parts[0]}${parts[1]}`);
    }
  }
}
