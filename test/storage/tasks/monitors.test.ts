// What is known of the answers to tasks since a fit, by both implementations: a data folder and a database.
import { type Test, test } from 'tap';
import { answerCode } from '../../../src/statistics/index.js';
import {
  type Expected,
  type NewLabel,
  putTask,
  type Task,
  type TaskContent,
  type TaskFit,
  type TaskMonitor,
  type TaskStore,
} from '../../../src/tasks/index.js';
import { type Random, random, seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';
import { answerStream } from '../../support/statistics/streams.js';
import { fitOf, monitorOf } from '../../support/store/fitted-task.js';
import { TASK_STORES } from '../../support/store/task-stores.js';

const STEPS = scaled({ short: 60, long: 300 });
const CONTENT = {
  questions: '{"q":1}',
  model: null,
  description: null,
  shadow: null,
  targetError: 0.05,
  confidence: 0.95,
};
const PLACE = { workspace: 'w', name: 'a' };
const RIGHT = [0.25, 0.75];
const DOUBTFUL = [0.5, 0.5];

const put = (tasks: TaskStore, change: Partial<TaskContent> = {}): Promise<Task> => {
  const content = { ...CONTENT, ...change };
  return tasks.put(PLACE, content, (before, id, now) => putTask(before, { ...PLACE, id }, content, now));
};
const fitted = async (tasks: TaskStore, task: Task, at = 0, build = 'm-1'): Promise<TaskFit> => {
  const fit = { ...fitOf(task, at), build };
  await tasks.putFit(task, fit, '{}', monitorOf(fit));
  return fit;
};
const codes = (...answers: ReadonlyArray<readonly number[]>) => [answers.map(answerCode)];
const label = (
  reference: string,
  expected: Expected,
  probabilities: readonly number[] = RIGHT,
  build = 'm-1',
): NewLabel => {
  const answer = { reference, version: 1, build, probabilities: [probabilities] };
  return { line: 1, reference, expected, answer };
};
const answersOf = (monitor: TaskMonitor | undefined) => monitor?.report()[0]?.drift?.answers;
const errorsOf = async (tasks: TaskStore, task: Task, build = 'm-1') => {
  const errors = (await tasks.monitor(task, build))?.report()[0]?.errors;
  return errors && [errors.labels, errors.wrong];
};

for (const { name, options, open } of TASK_STORES) {
  test(`${name}: the answers of all nodes are added, until the next fit`, options, async (t) => {
    const { tasks, other, content } = await open(t);
    const empty = await content();
    const task = await put(tasks);
    t.equal(await tasks.monitor(task, 'm-1'), undefined);
    t.equal(await tasks.changeMonitor(task, 'm-1', () => t.fail('there is none') || true), undefined);
    const first = await fitted(tasks, task);
    const add = (store: TaskStore, fit: TaskFit) =>
      store.changeMonitor(task, 'm-1', (monitor) => monitor.addAnswers(fit, codes(RIGHT, DOUBTFUL)));
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => add(at % 2 === 0 ? tasks : (other ?? tasks), first)),
    );
    t.equal(answersOf(await tasks.monitor(task, 'm-1')), 20);
    t.equal(answersOf(await (other ?? tasks).monitor(task, 'm-1')), 20);
    await t.rejects(
      tasks.changeMonitor(task, 'm-1', (monitor) => {
        monitor.addAnswers(first, codes(RIGHT));
        throw new Error('not an answer');
      }),
    );
    t.equal(answersOf(await tasks.monitor(task, 'm-1')), 20, 'a failed change stores nothing');
    const second = await fitted(tasks, task, 1);
    t.equal(answersOf(await add(tasks, first)), 0, 'an answer of the fit before');
    t.equal(answersOf(await add(tasks, second)), 2);
    await fitted(tasks, task, 2, 'm-2');
    t.equal(answersOf(await tasks.monitor(task, 'm-2')), 0, 'builds have monitors of their own');
    t.equal(answersOf(await tasks.monitor(task, 'm-1')), 2);
    t.notMatch(await content(), /monitor 1|drift 1/);
    await tasks.remove(PLACE);
    t.equal(await tasks.monitor(task, 'm-1'), undefined);
    t.equal(await add(tasks, second), undefined);
    t.equal(await content(), empty);
  });

  test(`${name}: the first label of an answer after the fit tests it, once`, options, async (t) => {
    const { tasks } = await open(t);
    const task = await put(tasks);
    const send = (...labels: readonly NewLabel[]) => tasks.label(task, labels);
    await send(label('state/before', { q: 1 }), label('state/null', { q: null }));
    await fitted(tasks, task);
    t.strictSame(await errorsOf(tasks, task), [0, 0]);
    await send(label('state/1', { q: 1 }), label('state/2', { q: 0 }));
    t.strictSame(await errorsOf(tasks, task), [2, 1]);
    await send(label('state/1', { q: 0 }), label('state/2', { q: null }), label('state/before', { q: 0 }));
    await send(label('state/2', { q: 1 }));
    t.strictSame(await errorsOf(tasks, task), [2, 1], 'corrections');
    await send(label('state/null', { q: 0 }));
    t.strictSame(await errorsOf(tasks, task), [3, 2], 'the first label, after a null');
    await send(label('state/3', { q: 1 }), label('state/3', { q: 0 }), label('state/3', { q: 1 }));
    t.strictSame(await errorsOf(tasks, task), [4, 2], 'in one call');
    await send(label('state/4', { q: 0 }, DOUBTFUL), label('state/5', { other: 0 }));
    t.strictSame(await errorsOf(tasks, task), [4, 2], 'not accepted, and another question');
    await send(label('state/6', { q: 0 }, RIGHT, 'm-2'));
    t.strictSame(await errorsOf(tasks, task), [4, 2], 'a build without a fit');
    await fitted(tasks, task, 1, 'm-2');
    await send(label('state/7', { q: 0 }, RIGHT, 'm-2'), label('state/8', { q: 1 }));
    t.strictSame(await errorsOf(tasks, task), [5, 2]);
    t.strictSame(await errorsOf(tasks, task, 'm-2'), [1, 1]);
    await fitted(tasks, task, 2);
    t.strictSame(await errorsOf(tasks, task), [0, 0]);
    const looser = await put(tasks, { targetError: 0.1 });
    await tasks.label(looser, [label('state/9', { q: 1 })]);
    t.strictSame(await errorsOf(tasks, task), [0, 0], 'no fit is in force');
  });

  test(`${name}: a refused call tests nothing`, options, async (t) => {
    const { tasks } = await open(t);
    const task = await put(tasks);
    await fitted(tasks, task);
    const unknown = { ...label('req_none', { q: 1 }), answer: null };
    t.equal((await tasks.label(task, [label('state/1', { q: 1 }), unknown])).stored, false);
    t.strictSame(await errorsOf(tasks, task), [0, 0]);
    await tasks.label(task, [label('state/1', { q: 1 })]);
    t.strictSame(await errorsOf(tasks, task), [1, 0]);
  });

  test(`${name}: what is added step by step is what all answers and labels say`, options, async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    await randomSteps(t, random(seed), await open(t));
  });
}

type Opened = Awaited<ReturnType<(typeof TASK_STORES)[number]['open']>>;

/** Adds answers and labels on both nodes, at once and in turn, and compares what is stored with all of them at once. */
async function randomSteps(t: Test, next: Random, { tasks, other }: Opened): Promise<void> {
  const stores = [tasks, other ?? tasks] as const;
  const stream = answerStream(next, [0.3, 0.7]);
  const task = await put(tasks);
  let fit = await fitted(tasks, task);
  let added: Array<readonly number[]> = [];
  let labels: NewLabel[] = [];
  const known = new Map<string, readonly number[]>();

  const addAnswers = (store: TaskStore) => {
    const answers = Array.from({ length: next.integer(150) }, stream);
    return store.changeMonitor(task, 'm-1', (monitor) => {
      added.push(...answers);
      return monitor.addAnswers(fit, codes(...answers));
    });
  };
  const addLabels = async (store: TaskStore) => {
    const call = Array.from({ length: 1 + next.integer(8) }, () => {
      const isKnown = known.size > 0 && next.integer(3) === 0;
      const reference = isKnown ? `state/${next.integer(known.size)}` : `state/${known.size}`;
      const answer = known.get(reference) ?? stream();
      const made = label(reference, { q: next.integer(2) }, answer);
      if (!known.has(reference)) labels.push(made);
      known.set(reference, answer);
      return made;
    });
    t.equal((await store.label(task, call)).stored, true);
  };

  for (let step = 0; step < STEPS; step += 1) {
    const store = stores[next.integer(2)] as TaskStore;
    switch (next.integer(4)) {
      case 0:
        await addLabels(store);
        break;
      case 1:
        await Promise.all(stores.map(addAnswers));
        break;
      case 2:
        await Promise.all([addAnswers(stores[0]), addLabels(stores[1])]);
        break;
      default:
        await addAnswers(store);
    }
    if (next.integer(40) === 0) {
      fit = await fitted(store, task, step + 1);
      [added, labels] = [[], []];
    }
    const whole = monitorOf(fit);
    whole.addAnswers(fit, codes(...added));
    whole.addLabels(fit, labels.map(firstOf));
    const [one, two] = await Promise.all(stores.map((each) => each.monitor(task, 'm-1')));
    t.strictSame(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(whole)));
    t.strictSame(one?.report(), two?.report());
  }
}

function firstOf({ answer, expected }: NewLabel) {
  if (answer === null) throw new Error('the label has no answer');
  return { build: answer.build, probabilities: answer.probabilities, expected: { q: expected.q as number } };
}
