import { uniform } from '../../models/tiny/random.js';
import { WORDS } from '../../models/tiny/words.js';
import type { Case } from './cases.js';

/** A request as both engines are asked it: the same texts, each in its own prompt. */
export interface Asked {
  readonly state: string;
  readonly questions: ReadonlyArray<{
    readonly instructions: string;
    readonly options: readonly string[];
  }>;
}

/** What stands around the words of a question in a prompt takes about this many tokens. */
const QUESTION_FRAME_TOKENS = 42;
const OPTIONS = 4;

/**
 * The requests of one round: random English words, each a token or close to it in any vocabulary. Another
 * round has other words, so no cache of an earlier round can answer it.
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
