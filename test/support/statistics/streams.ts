import type { Random } from '../../../src/base/index.js';

/** Answers that choose each option with its share, with confidences of which most are high. */
export function answerStream(next: Random, shares: readonly number[]): () => readonly number[] {
  const options = shares.length;
  return () => {
    let at = next.number();
    let chosen = 0;
    while (chosen < options - 1 && at >= (shares[chosen] as number)) {
      at -= shares[chosen] as number;
      chosen += 1;
    }
    const confidence = 1 - 0.45 * next.number() ** 3;
    const answer = new Array<number>(options).fill((1 - confidence) / (options - 1));
    answer[chosen] = confidence;
    return answer;
  };
}
