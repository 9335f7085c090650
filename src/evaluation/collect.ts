import { OPTION_KINDS } from '../api/index.js';
import { confidenceOf } from '../statistics/index.js';
import type { AnsweredQuestion } from './answered.js';
import type { ArchivedAnswer, OutcomeError } from './archive.js';
import type { Case } from './cases/case.js';
import type { AveragedAnswers } from './metrics/averaging.js';
import type { FormAnswers, RotatedAnswers } from './metrics/biases.js';
import type { Outcomes } from './outcomes.js';
import { BadAnswer, type ReadResponse, readResponse } from './read-response.js';
import type { Failures } from './report.js';
import { STATE_FORMS } from './report.js';
import { averageOf, rotationOf, type VariantName } from './variants.js';

/** The smallest committed probability (contract 2.4). */
const COMMITTED_MIN = 0.8;

/** The outcomes of a run, read and sorted by what they measure. In the order of the cases. */
export interface Collected {
  /** The answered questions of the cases as sent. */
  readonly answered: readonly AnsweredQuestion[];
  /** Cases with an answer. */
  readonly cases: number;
  readonly failures: readonly Failures[];
  /** Failures of the further requests for biases; `cases` counts requests. */
  readonly biasFailures: readonly Failures[];
  /** Requests that were sent again after 429 or 503. */
  readonly repeated: number;
  /** By build, of the cases as sent. */
  readonly tokens: ReadonlyMap<string, { input: number; output: number }>;
  readonly rotated: readonly RotatedAnswers[];
  readonly forms: readonly FormAnswers[];
  readonly averaged: readonly AveragedAnswers[];
  /** As sent, and in the other mode. */
  readonly modes: ReadonlyArray<readonly [AnsweredQuestion, AnsweredQuestion]>;
}

/** Reads every outcome. A response that does not answer its case is a failure of type `bad_answer`. */
export function collect(cases: readonly Case[], outcomes: Outcomes): Collected {
  const collected = {
    answered: [] as AnsweredQuestion[],
    cases: 0,
    failures: new Tally(),
    biasFailures: new Tally(),
    repeated: 0,
    tokens: new Map<string, { input: number; output: number }>(),
    rotated: [] as RotatedAnswers[],
    forms: [] as FormAnswers[],
    averaged: [] as AveragedAnswers[],
    modes: [] as Array<readonly [AnsweredQuestion, AnsweredQuestion]>,
  };
  for (const asked of cases) {
    const found = readVariants(asked, outcomes);
    collected.repeated += found.repeated;
    for (const error of found.errors) collected.biasFailures.add(error);
    if ('error' in found.sent) {
      collected.failures.add(found.sent.error);
      continue;
    }
    collected.cases += 1;
    collected.answered.push(...found.sent.answered);
    addTokens(collected.tokens, found.sent);
    collected.averaged.push(...averagesOf(found.sent, found.others));
    for (const [at, question] of found.sent.answered.entries()) {
      const inVariant = (variant: VariantName) => found.others.get(variant)?.answered[at];
      if (OPTION_KINDS[question.type] === 'labels') {
        collected.rotated.push({ sent: question, rotations: rotationsOf(question, found.others, at) });
      }
      const [text, flat, nested] = STATE_FORMS.map((form) => inVariant(`form ${form}`));
      if (text && flat && nested) collected.forms.push({ text, flat, nested });
      const mode = inVariant('other mode');
      if (mode) collected.modes.push([question, mode]);
    }
  }
  return {
    ...collected,
    answered: withoutCommitment(collected.answered),
    failures: collected.failures.byFrequency(),
    biasFailures: collected.biasFailures.byFrequency(),
  };
}

/** Errors by type. */
class Tally {
  private readonly types = new Map<string, { cases: number; example: string }>();

  add({ type, message }: OutcomeError): void {
    const { cases, example } = this.types.get(type) ?? { cases: 0, example: message };
    this.types.set(type, { cases: cases + 1, example });
  }

  byFrequency(): Failures[] {
    return [...this.types].map(([type, rest]) => ({ type, ...rest })).sort((a, b) => b.cases - a.cases);
  }
}

/** The answers to a case: as sent, and in each further variant that was answered; `errors` of the further variants. */
function readVariants(asked: Case, outcomes: Outcomes) {
  const others = new Map<VariantName, ReadResponse>();
  const errors: OutcomeError[] = [];
  let repeated = 0;
  for (const variant of outcomes.variants(asked.id)) {
    const outcome = outcomes.of(asked.id, variant);
    repeated += outcome?.repeated ?? 0;
    if (variant === 'sent') continue;
    const found = read(asked, outcome);
    if ('error' in found) errors.push(found.error);
    else others.set(variant, found);
  }
  return { sent: read(asked, outcomes.of(asked.id, 'sent')), others, errors, repeated };
}

function addTokens(tokens: Map<string, { input: number; output: number }>, response: ReadResponse): void {
  const { input, output } = tokens.get(response.model) ?? { input: 0, output: 0 };
  tokens.set(response.model, {
    input: input + response.inputTokens,
    output: output + response.outputTokens,
  });
}

/** A committed probability is never between 0.20 and 0.80: a target that sent such a one does not commit its answers. */
function withoutCommitment(answered: readonly AnsweredQuestion[]): readonly AnsweredQuestion[] {
  const uncommitted = ({ committed, probabilities }: AnsweredQuestion) =>
    committed && confidenceOf(probabilities) < COMMITTED_MIN;
  return answered.some(uncommitted)
    ? answered.map((question) => ({ ...question, committed: false }))
    : answered;
}

function rotationsOf(
  { options }: AnsweredQuestion,
  others: ReadonlyMap<VariantName, ReadResponse>,
  at: number,
): RotatedAnswers['rotations'] {
  return [...others].flatMap(([variant, { answered }]) => {
    const by = rotationOf(variant, options.length);
    return by === 0 ? [] : [{ by, probabilities: (answered[at] as AnsweredQuestion).probabilities }];
  });
}

/** The questions of a case that were asked in several orders of their options, by the number of orders. */
function averagesOf(sent: ReadResponse, others: ReadonlyMap<VariantName, ReadResponse>): AveragedAnswers[] {
  return [...others].flatMap(([variant, averaged]) => {
    const rotations = averageOf(variant);
    if (rotations === 1) return [];
    const pairs = sent.answered.flatMap((question, at) => {
      const isAveraged = OPTION_KINDS[question.type] === 'labels' && question.options.length > 1;
      return isAveraged ? [[question, averaged.answered[at] as AnsweredQuestion] as const] : [];
    });
    return [{ rotations, pairs, tokens: { sent: sent.inputTokens, averaged: averaged.inputTokens } }];
  });
}

function read(asked: Case, outcome: ArchivedAnswer | undefined): ReadResponse | { error: OutcomeError } {
  const failed = (type: string, message: string) => ({
    error: { status: null, type, message, temporary: false },
  });
  if (outcome === undefined) return failed('no_answer', 'the case was not asked');
  if ('error' in outcome) return outcome;
  try {
    return readResponse(asked, outcome.response, outcome.temperatures ?? null);
  } catch (error) {
    if (error instanceof BadAnswer) return failed('bad_answer', error.message);
    throw error;
  }
}
