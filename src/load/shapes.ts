import { type Random, random } from '../base/index.js';
import type { LoadRequest, RequestSource } from './load-types.js';
import { code, functionName, sentences } from './texts.js';

/** Shapes of generated requests, after what public System One clients send. */
export const SHAPES = {
  short: '1 to 3 described choices about a short message: routing, triage, gates of tool calls',
  one_state: '16 yes/no questions about 6,000 characters of code, which 6 requests in a row share: linters',
  sixteen: '16 short questions of all types about a short message',
} as const;
export type Shape = keyof typeof SHAPES;

/** How often each shape occurs in the default mix. */
const MIX: Readonly<Record<Shape, number>> = { short: 0.84, one_state: 0.12, sixteen: 0.04 };

/** Requests of `one_state` that share a state: 96 questions, split by the limit of 16 per request. */
const REQUESTS_PER_STATE = 6;
const STATE_CHARACTERS = 6_000;

type Questions = Record<string, { type: string; instructions: string; criteria?: unknown }>;

/**
 * Requests of one shape, or a mix of all. The same seed gives the same requests. `model`: the id to name in them;
 * undefined names none.
 */
export function generatedRequests(seed: number, shape: Shape | 'mix', model?: string): RequestSource {
  const source = random(seed);
  const states = sharedStates(source);
  const contents: Record<Shape, () => { state: string; questions: Questions }> = {
    short: () => ({ state: message(source), questions: describedChoices(source) }),
    one_state: () => ({ state: states(), questions: sixteenNouls(source) }),
    sixteen: () => ({ state: message(source), questions: sixteenQuestions(source) }),
  };
  return {
    next: (): LoadRequest => {
      const chosen = shape === 'mix' ? pickShape(source) : shape;
      return { shape: chosen, body: Buffer.from(JSON.stringify({ model, ...contents[chosen]() })) };
    },
  };
}

/** The same requests in another form. */
export const rewritten = ({ next }: RequestSource, write: (body: Buffer) => string): RequestSource => ({
  next: () => {
    const { shape, body } = next();
    return { shape, body: Buffer.from(write(body)) };
  },
});

/** Given requests, over and over in their order. */
export function givenRequests(bodies: readonly Buffer[]): RequestSource {
  let count = 0;
  return { next: () => ({ shape: 'case', body: bodies[count++ % bodies.length] as Buffer }) };
}

function pickShape({ number }: Random): Shape {
  let left = number();
  for (const [shape, share] of Object.entries(MIX) as [Shape, number][]) {
    if (left < share) return shape;
    left -= share;
  }
  return 'short';
}

/** A log-normal length with this median, within bounds. */
function length({ number }: Random, median: number, least: number, most: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - number())) * Math.cos(2 * Math.PI * number());
  return Math.round(Math.min(most, Math.max(least, median * Math.exp(0.5 * normal))));
}

/** 54 to 805 characters, median 146. */
const message = (source: Random): string => sentences(source, length(source, 146, 54, 805));

/** 500 to 2,360 characters of JSON, median 732: 1 to 3 choices of 2 to 7 options, one of them `needs_review`. */
function describedChoices(source: Random): Questions {
  const characters = length(source, 732, 500, 2_360);
  const count = 1 + source.integer(characters < 700 ? 1 : characters < 1_200 ? 2 : 3);
  const questions = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`question_${at + 1}`, undescribedChoice(source)]),
  );
  const all = Object.values(questions).flatMap(({ criteria }) =>
    Object.keys(criteria).map((label) => ({ criteria, label })),
  );
  let left = characters - JSON.stringify(questions).length;
  for (const [at, { criteria, label }] of all.entries()) {
    const share = Math.floor(left / (all.length - at));
    criteria[label] = sentences(source, share);
    left -= share;
  }
  return questions;
}

function undescribedChoice(source: Random) {
  const labels = [...LABELS.slice(0, 1 + source.integer(LABELS.length)), 'needs_review'];
  const criteria: Record<string, string> = Object.fromEntries(labels.map((label) => [label, '']));
  return { type: 'choice', instructions: sentences(source, 80), criteria };
}

const LABELS = ['billing', 'technical', 'account', 'shipping', 'sales', 'abuse'] as const;

function sharedStates(source: Random): () => string {
  let state = '';
  let used = REQUESTS_PER_STATE;
  return () => {
    if (used === REQUESTS_PER_STATE) {
      state = code(source, STATE_CHARACTERS);
      used = 0;
    }
    used += 1;
    return state;
  };
}

const LINT_CHECKS = [
  'does the name of the function say what it does',
  'does the comment agree with the code',
  'is every parameter used',
  'can the function fail without telling its caller',
];

function sixteenNouls(source: Random): Questions {
  return Object.fromEntries(
    Array.from({ length: 16 }, (_, at) => [
      `check_${at + 1}`,
      { type: 'noul', instructions: `For ${functionName(source)}: ${source.pick(LINT_CHECKS)}?` },
    ]),
  );
}

function sixteenQuestions(source: Random): Questions {
  const kinds = [
    () => ({ type: 'noul', instructions: `Is this true: ${sentences(source, 60)}` }),
    () => ({ type: 'choice', instructions: 'Which team should answer?', criteria: LABELS }),
    () => ({ type: 'score', instructions: 'How urgent is it?', criteria: ['can wait', 'this week', 'now'] }),
  ];
  return Object.fromEntries(
    Array.from({ length: 16 }, (_, at) => [`question_${at + 1}`, source.pick(kinds)()]),
  );
}
