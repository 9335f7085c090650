// The promise of a fit, with the embedded model and messages that it has never seen.
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { random } from '../../src/base/index.js';
import { Decider, type TaskFit } from '../../src/client/index.js';
import { fitQuestion, isAccepted, type LabelledAnswer } from '../../src/statistics/index.js';
import { exactInterval, lowerBound } from '../../src/statistics/numerics/binomial.js';
import { seedFromEnvironment } from '../support/random.js';
import { LONG } from '../support/scale.js';
import { startTestServer } from '../support/server.js';
import { ROOT } from '../support/sources.js';
import { recipeTask, type SupportMessage, supportMessages } from '../support/tasks/support-messages.js';

const TASK = 'support-mail';
const TARGET = { error: 0.05, confidence: 0.95 };
/** Labels of a fit. */
const LABELS = 400;
/** Fits to messages that are drawn from all of them, for each question. */
const FITS = 400;
/** Of the bounds on which this file decides: a correct program fails once in a thousand runs. */
const TAIL = 0.001;

const skip = LONG ? false : 'only at full scale: a few messages show nothing about an error of 5 %';

/** An answer whose correct option is known. */
interface Judged extends LabelledAnswer {
  readonly accept: boolean | null;
  readonly isRight: boolean;
}

/** A server with the embedded model. */
async function serving(t: Test) {
  const { url, headers } = await startTestServer(t, {}, join(ROOT, 'models'));
  const { tasks } = new Decider({ url, token: headers.authorization.replace('Bearer ', '') });
  /** The answers about a message, by question. */
  const judge = async ({ state, expected }: SupportMessage): Promise<Record<string, Judged>> => {
    const reply = await fetch(`${url}/v1/tasks/${TASK}/decide`, {
      method: 'POST',
      headers: { ...headers, 'service-raw-probabilities': 'true' },
      body: JSON.stringify({ state }),
    });
    const { answers } = (await reply.json()) as {
      answers: Record<string, { accept: boolean | null; raw_probabilities: Record<string, number> }>;
    };
    const judged = Object.entries(answers).map(([name, { accept, raw_probabilities }]) => {
      const probabilities = Object.values(raw_probabilities);
      const option = Object.keys(raw_probabilities).indexOf(String(expected[name]));
      const isRight = probabilities.indexOf(Math.max(...probabilities)) === option;
      return [name, { id: state, probabilities, expected: option, accept, isRight }] as const;
    });
    return Object.fromEntries(judged);
  };
  return { tasks, judge };
}

/** The answers to a question. */
const answersTo = (all: ReadonlyArray<Record<string, Judged>>, name: string): Judged[] =>
  all.map((answers) => answers[name] as Judged);

const wrongOf = (answers: readonly Judged[]): number => answers.filter(({ isRight }) => !isRight).length;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** A row of the table in docs/tasks.md. */
function rowOf(name: string, fit: TaskFit, answers: readonly Judged[]): string {
  const fitted = fit.questions[name];
  const threshold = fitted !== undefined && 'threshold' in fitted ? fitted.threshold : null;
  const accepted = answers.filter(({ accept }) => accept === true);
  const wrong = wrongOf(accepted);
  const [least, most] = exactInterval(wrong, accepted.length, TARGET.confidence);
  const error =
    accepted.length === 0
      ? ''
      : `${percent(wrong / accepted.length)} (${percent(least)} to ${percent(most)})`;
  const right = percent(1 - wrongOf(answers) / answers.length);
  const shown = threshold === null ? 'none' : threshold.threshold.toFixed(3);
  return `| ${[name, right, shown, accepted.length, accepted.length === 0 ? '' : wrong, error].join(' | ')} |`;
}

test('fitted to 400 messages, accepted answers about 400 others keep the promise', { skip }, async (t) => {
  const { tasks, judge } = await serving(t);
  const { questions } = recipeTask();
  await tasks.put(TASK, { questions });
  const labelled = supportMessages('labelled');
  t.equal(labelled.length, LABELS);
  await tasks.label(TASK, labelled);
  const fit = await tasks.fit(TASK);
  const fresh: Record<string, Judged>[] = [];
  for (const message of supportMessages('fresh')) fresh.push(await judge(message));
  for (const name of Object.keys(questions)) {
    const answers = answersTo(fresh, name);
    t.comment(rowOf(name, fit, answers));
    const accepted = answers.filter(({ accept }) => accept === true);
    const least = lowerBound(wrongOf(accepted), accepted.length, TAIL);
    t.ok(least <= TARGET.error, `${name}: nothing shows that the error is above the target`);
  }
  // Both are right so often that every fit finds a threshold that accepts most.
  for (const name of ['refund', 'cancel']) {
    t.ok(answersTo(fresh, name).filter(({ accept }) => accept).length > LABELS / 2, name);
  }

  const all = [...fresh];
  for (const message of labelled) all.push(await judge(message));
  const seed = seedFromEnvironment();
  t.comment(`seed ${seed}`);
  for (const name of Object.keys(questions)) {
    const { found, above, coverage } = drawn(answersTo(all, name), seed);
    t.comment(`${name}: of ${FITS} fits, ${found} have a threshold, ${above} with an error above the target`);
    t.comment(`${name}: mean coverage ${percent(coverage)}`);
    t.ok(lowerBound(above, FITS, TAIL) <= 1 - TARGET.confidence, `${name}: the promise of all fits`);
  }
});

/** Fits to messages that are drawn independently from all of them, whose true error is known. */
function drawn(population: readonly Judged[], seed: number) {
  const next = random(seed);
  const sums = { found: 0, above: 0, coverage: 0 };
  for (let at = 0; at < FITS; at += 1) {
    const labels = Array.from({ length: LABELS }, (_, label) => {
      const answer = population[next.integer(population.length)] as Judged;
      return { ...answer, id: `${seed} ${at} ${label}` };
    });
    const fit = fitQuestion(labels, TARGET, { seed: 1, resamples: 2 });
    if ('refused' in fit || fit.threshold === null) continue;
    const acceptance = { temperature: fit.temperature.value, threshold: fit.threshold.threshold };
    const accepted = population.filter(({ probabilities }) => isAccepted(acceptance, probabilities));
    sums.found += 1;
    sums.coverage += accepted.length / population.length / FITS;
    if (wrongOf(accepted) > TARGET.error * accepted.length) sums.above += 1;
  }
  return sums;
}
