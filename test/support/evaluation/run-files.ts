import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, random } from '../../../src/base/index.js';
import { commit, roundProbabilities, UNITS } from '../../../src/decide/index.js';
import { readCases } from '../../../src/evaluation/index.js';
import { drawn, normal, softmax } from './synthetic.js';

export interface SyntheticRun {
  readonly cases: number;
  readonly seed: number;
  /** The temperature at which the model would be calibrated; its answers are made with 1. */
  readonly temperature: number;
  readonly groups: number;
  /** Also the requests for the biases and the other mode. */
  readonly variants?: boolean;
  /** Text of a caller in every place that a report shows. */
  readonly label?: string;
}

const FAILURES = 0.01;
const LABELS = 'abcdefghijkl';

/** A cases file, and the archive of a run on it that the engine could have made. */
export function writeRun(folder: string, run: SyntheticRun): { cases: string; archive: string } {
  const next = random(run.seed);
  const label = run.label ?? 'plain';
  const cases: object[] = [];
  const answers: object[] = [];
  for (let index = 0; index < run.cases; index += 1) {
    const id = `case ${index}`;
    const group = next.integer(run.groups);
    const questions = {
      [`refund ${label}`]: questionOf(next, 'noul', ['true', 'false'], run.temperature),
      team: questionOf(next, 'choice', LABELS.slice(0, 2 + next.integer(11)).split(''), run.temperature),
      urgency: questionOf(next, 'score', ['0', '1', '2'], run.temperature),
    };
    const name = Object.keys(questions)[index % 3] as keyof typeof questions;
    const { request, expected, answer } = questions[name] as ReturnType<typeof questionOf>;
    cases.push({
      id,
      group: `group ${group} ${label}`,
      split: group % 4 === 0 ? 'held_out' : 'development',
      request: { state: `Order ${index}`, questions: { [name]: request } },
      expected: { [name]: expected },
    });
    const response = (change: number) => ({
      response: {
        model: `synthetic-20261122`,
        answers: { [name]: answer(change) },
        usage: { input_tokens: 180 + next.integer(100), output_tokens: 1 },
      },
      temperatures: { [name]: 1 },
      repeated: 0,
    });
    if (next.number() < FAILURES) {
      const error = {
        status: 422,
        type: 'invalid_question',
        message: `Too long. ${label}`,
        temporary: false,
      };
      answers.push({ case: id, variant: 'sent', error, repeated: 0 });
      continue;
    }
    answers.push({ case: id, variant: 'sent', ...response(0) });
    if (run.variants) {
      for (const variant of ['other mode', 'rotation 1', 'form text', 'form flat', 'form nested'])
        answers.push({ case: id, variant, ...response(0.2) });
    }
  }
  const file = join(folder, `cases-${run.seed}.jsonl`);
  writeLines(file, cases);
  const archive = join(folder, `archive-${run.seed}.jsonl`);
  const { sha256 } = readCases(file, null);
  const target = { kind: 'engine', backend: 'cpu', exact: true };
  const header = { format: 'decider archive 1', cases_sha256: sha256, target, model: null };
  writeLines(archive, [header, ...answers]);
  return { cases: file, archive };
}

const writeLines = (file: string, values: readonly object[]) =>
  writeFileSync(file, values.map((value) => `${JSON.stringify(value)}\n`).join(''));

/** A question, its correct answer, and the answer of the model with noise of a size added to its logits. */
function questionOf(
  next: Random,
  type: 'noul' | 'choice' | 'score',
  options: readonly string[],
  temperature: number,
) {
  const logits = options.map(() => 2.5 * normal(next));
  const correct = drawn(next, softmax(logits.map((logit) => logit / temperature)));
  const criteria = {
    noul: undefined,
    choice: Object.fromEntries(options.map((option) => [option, null])),
    score: options.map(() => null),
  }[type];
  return {
    request: { type, instructions: 'Which one?', criteria },
    expected: { noul: correct === 0, choice: options[correct], score: correct }[type],
    answer(noise: number) {
      const p = softmax(logits.map((logit) => logit + noise * normal(next)));
      const byOption = Object.fromEntries(options.map((option, index) => [option, p[index]]));
      const noul = commit(roundProbabilities(p)[0] as number) / UNITS;
      return type === 'noul'
        ? { type, noul, raw_probabilities: byOption }
        : { type, probabilities: byOption, raw_probabilities: byOption };
    },
  };
}
