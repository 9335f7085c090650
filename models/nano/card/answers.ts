import { readFileSync } from 'node:fs';

export type QuestionType = 'noul' | 'choice' | 'score';

/** A question of an evaluation set with what a build answered. */
export interface Answer {
  /** What is asked: the name of the question without the number at its end. */
  readonly family: string;
  readonly type: QuestionType;
  /** The correct answer as the name of an option. */
  readonly expected: string;
  readonly isRight: boolean;
  /** Of the most probable option. */
  readonly probability: number;
  readonly options: number;
}

interface Question {
  readonly type: QuestionType;
}

interface Given {
  readonly probabilities?: Record<string, number>;
  readonly raw_probabilities?: Record<string, number>;
}

const NUMBER_AT_END = /_?\d+$/;

/** How far the best probability is above guessing, as a share of what is left: 0 is guessing, 1 is certain. */
export function confidenceOf({ probability, options }: Answer): number {
  return options === 1 ? 1 : (probability - 1 / options) / (1 - 1 / options);
}

/**
 * Reads an archive of `decider eval` with the cases that it answers.
 *
 * @returns the build that answered, and every question with a known answer
 * @throws Error if a case has no answer, or if several builds answered
 */
export function readAnswers(casesFile: string, archiveFile: string): { build: string; answers: Answer[] } {
  const [, ...lines] = linesOf(archiveFile);
  const responses = new Map(
    lines.filter(({ variant }) => variant === 'sent').map((line) => [line.case, line.response]),
  );
  const builds = new Set<string>();
  const answers = linesOf(casesFile).flatMap(({ id, request, expected }) => {
    const response = responses.get(id);
    if (!response) throw new Error(`${archiveFile} has no answer to ${id}`);
    builds.add(response.model);
    return Object.entries(expected).map(([name, right]) =>
      judge(name, request.questions[name], response.answers[name], String(right)),
    );
  });
  const [build, ...others] = builds;
  if (build === undefined || others.length > 0) throw new Error(`${archiveFile} is not of one build`);
  return { build, answers };
}

function judge(name: string, { type }: Question, given: Given, expected: string): Answer {
  const probabilities = Object.entries(given.raw_probabilities ?? given.probabilities ?? {});
  const [best, probability] = probabilities.reduce((a, b) => (b[1] > a[1] ? b : a));
  return {
    family: name.replace(NUMBER_AT_END, ''),
    type,
    expected,
    isRight: best === expected,
    probability,
    options: probabilities.length,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: both files were checked by `decider eval`.
const linesOf = (file: string): any[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
