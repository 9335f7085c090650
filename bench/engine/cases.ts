/** The load of one round. */
export interface Case {
  readonly name: string;
  readonly requests: number;
  /** Questions of each request. */
  readonly questions: number;
  /** Approximate tokens of the state, and of a question with its part of the prompt: texts are made of words. */
  readonly stateTokens: number;
  readonly questionTokens: number;
  /** All requests at once, or each after the previous one is answered. */
  readonly arrival: 'together' | 'one by one';
  /** Whether all requests of a round share one state. States differ between rounds. */
  readonly oneState: boolean;
  /** The benchmark model, or the smallest one that loads, which needs almost no arithmetic. */
  readonly model: 'benchmark' | 'smallest';
}

const USUAL = {
  requests: 1,
  questions: 1,
  stateTokens: 600,
  questionTokens: 50,
  arrival: 'together',
  oneState: false,
  model: 'benchmark',
} as const;

const EIGHT_BY_FOUR = { ...USUAL, requests: 8, questions: 4, stateTokens: 60 } as const;

/** Request shapes of real users, and one that shows the engine's overhead. */
export const CASES: readonly Case[] = [
  { ...USUAL, name: 'one_question' },
  { ...USUAL, name: 'sixteen_questions', questions: 16 },
  { ...EIGHT_BY_FOUR, name: 'eight_by_four_serial', arrival: 'one by one' },
  { ...EIGHT_BY_FOUR, name: 'eight_by_four_concurrent' },
  { ...USUAL, name: 'short_real', requests: 64, stateTokens: 40, questionTokens: 180 },
  { ...USUAL, name: 'one_state', requests: 6, questions: 16, stateTokens: 1_500, oneState: true },
  { ...USUAL, name: 'fixed_cost', questions: 16, model: 'smallest' },
];

/** The cases in a comma-separated list of names; all cases if undefined. Throws if a name is unknown. */
export function casesNamed(names: string | undefined): readonly Case[] {
  if (names === undefined) return CASES;
  return names.split(',').map((name) => {
    const found = CASES.find((one) => one.name === name);
    if (found === undefined) {
      throw new Error(`There is no case ${name}; there are ${CASES.map((one) => one.name).join(', ')}.`);
    }
    return found;
  });
}

export function describeCase(one: Case): string {
  const { requests, questions, arrival, stateTokens, questionTokens, oneState } = one;
  const load =
    requests === 1 ? '1 request' : `${requests} requests ${arrival}${oneState ? ' on one state' : ''}`;
  const asked = questions === 1 ? '1 question' : `${questions} questions`;
  return `${load}, ${asked} each of about ${questionTokens} tokens behind a state of about ${stateTokens}`;
}

/** The number of rounds that keeps a case within minutes: many for short cases, three for long ones. */
export function usualRounds(one: Case): number {
  const states = one.oneState ? 1 : one.requests;
  const tokens = states * one.stateTokens + one.requests * one.questions * one.questionTokens;
  const short = one.model === 'smallest' ? 30 : 12_000 / tokens;
  return Math.max(3, Math.min(30, Math.round(short)));
}
