import { uniform } from '../../models/tiny/random.js';
import { WORDS } from '../../models/tiny/words.js';
import { type Asked, textsOf } from '../engine/texts.js';

/** Minimum lines of a batch for a meaningful figure. */
export const MODEL_LINES_MIN = 2;

/** A batch file of English words with the given number of lines and approximate total size. */
export function wordsFile(model: string, lines: number, bytes: number): Buffer {
  const next = uniform(lines, 'batch file');
  const word = () => WORDS[Math.floor(((next() + 1) / 2) * WORDS.length)] as string;
  const frame = JSON.stringify(lineOf(model, lines, { state: '', questions: [QUESTION] })).length;
  const length = Math.max(1, Math.floor(bytes / lines) - frame);
  const text = () => {
    let words = '';
    while (words.length < length) words += `${word()} `;
    return words;
  };
  const all = Array.from({ length: lines }, (_, at) =>
    JSON.stringify(lineOf(model, at, { state: text(), questions: [QUESTION] })),
  );
  return Buffer.from(all.join('\n'));
}

/** Requests of 60 to 400 tokens, each with a different state. */
export function lineTexts(count: number, round: string): Asked[] {
  return Array.from({ length: count }, (_, at) => {
    const stateTokens = 10 + ((at * 37) % 340);
    const shape = { ...SHAPE, stateTokens };
    return textsOf(shape, `${round} ${at}`)[0] as Asked;
  });
}

/** The requests as a batch file. */
export function textsFile(model: string, texts: readonly Asked[]): Buffer {
  return Buffer.from(texts.map((asked, at) => JSON.stringify(lineOf(model, at, asked))).join('\n'));
}

/** The questions under the names that `planOf` gives them, so that a line results in the same plan. */
export function requestOf({ state, questions }: Asked): object {
  const named = questions.map(({ instructions, options }, at) => [
    `question ${at}`,
    { type: 'choice', instructions, criteria: options },
  ]);
  return { state, questions: Object.fromEntries(named) };
}

const lineOf = (model: string, at: number, asked: Asked) => ({
  custom_id: `line-${at}`,
  model,
  ...requestOf(asked),
});

const QUESTION = {
  instructions: 'What is this letter about?',
  options: ['billing', 'delivery', 'other'],
};

const SHAPE = {
  name: 'lines',
  requests: 1,
  questions: 1,
  questionTokens: 50,
  arrival: 'together',
  oneState: false,
  model: 'benchmark',
} as const;
