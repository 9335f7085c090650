import { softmax } from '../../base/index.js';
import type { Option, Question } from '../decide-types.js';
import { roundProbabilities, UNITS } from './probabilities.js';

/** Ordered `[name, value]` pairs, since a plain object would reorder names like `10`. */
export type Pairs<Value> = ReadonlyArray<readonly [name: string, value: Value]>;

export interface NoulAnswer {
  readonly type: 'noul';
  /** The probability of yes, committed: at most 0.20 or at least 0.80. */
  readonly noul: number;
}

export interface ChoiceAnswer {
  readonly type: 'choice';
  readonly choice: string;
  readonly confidence: number;
  /** By label, in the order of the criteria. */
  readonly probabilities: Pairs<number>;
}

export interface ScoreAnswer {
  readonly type: 'score';
  readonly level: number;
  readonly score: number;
  readonly confidence: number;
  /** By the level's number, lowest first. */
  readonly legend: Pairs<string>;
  readonly probabilities: Pairs<number>;
}

export type Answer = NoulAnswer | ChoiceAnswer | ScoreAnswer;

/** The minimum of a committed answer for its side, in units (contract 2.4). */
const COMMITTED = 8_000;

/**
 * The answer to a question (contract 2.4). Everything is computed from the emitted probabilities, whole
 * ten-thousandths, in exact integer arithmetic; `confidence` is then rounded once to 4 decimals, and
 * `score` has no more by itself. A client that recomputes from what it received agrees within 0.00005.
 *
 * @param logits one per option, in the order of `question.options`
 * @param temperature divides the logits
 * @throws Error if the logits do not match the question or are not finite: the engine has failed
 */
export function answer(question: Question, logits: ArrayLike<number>, temperature: number): Answer {
  if (logits.length !== question.options.length) {
    throw new Error(`${logits.length} logits for ${question.options.length} options`);
  }
  return answerOf(question, roundProbabilities(softmax(logits, temperature)));
}

/** The answer that emitted probabilities give. `units`: by option, see `roundProbabilities`. */
export function answerOf(question: Question, units: readonly number[]): Answer {
  const { options } = question;
  switch (question.type) {
    case 'noul':
      return { type: 'noul', noul: commit(units[0]!) / UNITS };
    case 'choice':
      return choiceAnswer(options, units);
    case 'score':
      return scoreAnswer(options, units);
  }
}

/** The probabilities by option, neither rounded nor committed (contract 4.1 `Service-Raw-Probabilities`). */
export function rawProbabilities({ options }: Question, p: ArrayLike<number>): Pairs<number> {
  return options.map(({ key }, index) => [key, p[index]!]);
}

/** The committed probability of yes, in units, as `yes` is (contract 2.4). */
export function commit(yes: number): number {
  return yes * 2 >= UNITS ? Math.max(yes, COMMITTED) : Math.min(yes, UNITS - COMMITTED);
}

function choiceAnswer(options: readonly Option[], units: readonly number[]): ChoiceAnswer {
  const best = largest(units);
  return {
    type: 'choice',
    choice: options[best]!.key,
    confidence: choiceConfidence(units[best]!, options.length),
    probabilities: byKey(options, units),
  };
}

/** (p − 1/n) / (1 − 1/n), with both sides times n; 1 if there is one option. */
function choiceConfidence(best: number, n: number): number {
  if (n === 1) return 1;
  return Math.round((n * best - UNITS) / (n - 1)) / UNITS;
}

function scoreAnswer(options: readonly Option[], units: readonly number[]): ScoreAnswer {
  const level = largest(units);
  return {
    type: 'score',
    level,
    score: sumOf(units, (u, i) => u * i) / UNITS,
    confidence: scoreConfidence(units, level),
    legend: options.map(({ key, name, description }) => [key, description ?? name]),
    probabilities: byKey(options, units),
  };
}

/**
 * max(0, 1 − Σ p_i·|i − level| / MAD) with MAD = Σ|i − (n−1)/2| / n, the mean distance from the middle level;
 * 1 if there is one level.
 */
function scoreConfidence(units: readonly number[], level: number): number {
  const n = units.length;
  if (n === 1) return 1;
  const distance = sumOf(units, (u, i) => u * Math.abs(i - level));
  const twiceFromMiddle = sumOf(units, (_, i) => Math.abs(2 * i - (n - 1)));
  return Math.max(0, Math.round(UNITS - (distance * 2 * n) / twiceFromMiddle)) / UNITS;
}

/** The index of the largest; of equal ones the first. */
function largest(units: readonly number[]): number {
  return units.indexOf(Math.max(...units));
}

function sumOf(units: readonly number[], term: (unit: number, index: number) => number): number {
  return units.reduce((sum, unit, index) => sum + term(unit, index), 0);
}

function byKey(options: readonly Option[], units: readonly number[]): Pairs<number> {
  return options.map(({ key }, index) => [key, units[index]! / UNITS]);
}
