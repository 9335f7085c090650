import { uniform } from '../../models/tiny/random.js';
import type { Plan } from '../../src/engine/index.js';

const OPTIONS_MAX = 6;

/** Requests of random tokens, with states and questions of many lengths; the same every time. */
export function randomPlans(head: Int32Array, labels: Int32Array, requests: number): Plan[] {
  const next = uniform(1, 'bench exact');
  const integer = (from: number, to: number) => from + Math.floor(((next() + 1) / 2) * (to - from));
  const tokens = (count: number) => Int32Array.from({ length: count }, () => integer(300, 1_300));
  return Array.from({ length: requests }, () => {
    const prefix = Int32Array.of(...head, ...tokens(integer(10, 200)));
    const suffixes = Array.from({ length: integer(1, 4) }, () => ({
      tokens: tokens(integer(20, 80)),
      options: labels.slice(0, integer(2, OPTIONS_MAX + 1)),
    }));
    return { prefix, prefixKey: prefix.join(), suffixes, images: [] };
  });
}

const QUESTION_TOKENS = 20;
const QUESTION_OPTIONS = 3;

/** A request of many questions of 20 tokens about one state, of random tokens; `seed` gives another one. */
export function questionsAbout(
  head: Int32Array,
  labels: Int32Array,
  stateTokens: number,
  questions: number,
  seed: number,
): Plan {
  const next = uniform(seed, 'bench questions');
  const tokens = (count: number) =>
    Int32Array.from({ length: count }, () => 300 + Math.floor(((next() + 1) / 2) * 1_000));
  const prefix = Int32Array.of(...head, ...tokens(stateTokens));
  const suffixes = Array.from({ length: questions }, () => ({
    tokens: tokens(QUESTION_TOKENS),
    options: labels.slice(0, QUESTION_OPTIONS),
  }));
  return { prefix, prefixKey: prefix.join(), suffixes, images: [] };
}
