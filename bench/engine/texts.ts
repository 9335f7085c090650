import { uniform } from '../../models/tiny/random.js';
import { WORDS } from '../../models/tiny/words.js';
import type { Case } from './cases.js';

/** A request for both engines: the same texts, in each engine's own prompt. */
export interface Asked {
  readonly state: string;
  readonly questions: ReadonlyArray<{
    readonly instructions: string;
    readonly options: readonly string[];
  }>;
}

/** Approximate tokens around the words of a question in a prompt. */
const QUESTION_FRAME_TOKENS = 42;
const OPTIONS = 4;

/**
 * The requests of one round: random English words, each about one token in any vocabulary. Rounds use different words,
 * so that no cache of an earlier round can help.
 */
export function textsOf(one: Case, round: string): Asked[] {
  const next = uniform(Number(process.hrtime.bigint() & 0x7fffffffn), `${one.name} ${round}`);
  const word = () => WORDS[Math.floor(((next() + 1) / 2) * WORDS.length)] as string;
  const words = (count: number) => Array.from({ length: Math.max(1, count) }, word).join(' ');
  const free = Math.max(OPTIONS + 1, one.questionTokens - QUESTION_FRAME_TOKENS);
  const optionWords = Math.max(1, Math.floor(free / (OPTIONS + 2)));
  const question = () => ({
    instructions: words(free - OPTIONS * optionWords),
    options: distinct(() => words(optionWords)),
  });
  const shared = words(one.stateTokens);
  return Array.from({ length: one.requests }, (_, request) => ({
    state: one.oneState || request === 0 ? shared : words(one.stateTokens),
    questions: Array.from({ length: one.questions }, question),
  }));
}

/** Labels of one question must differ. */
function distinct(make: () => string): string[] {
  const found = new Set<string>();
  while (found.size < OPTIONS) found.add(make());
  return [...found];
}
