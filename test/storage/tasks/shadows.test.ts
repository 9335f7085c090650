// Shadow builds of tasks, by both implementations: a data folder and a database.
import { test } from 'tap';
import { random } from '../../../src/base/index.js';
import {
  NO_SHADOW_ANSWERS,
  type ShadowCounts,
  shadowReportOf,
  withPair,
} from '../../../src/statistics/index.js';
import {
  type ExpectedShadow,
  type LabelledRows,
  type NewPairs,
  promoteTask,
  putTask,
  type ShadowRecord,
  type Task,
  type TaskContent,
  type TaskStore,
} from '../../../src/tasks/index.js';
import { compareLabels } from '../../../src/tasks/shadow/compare-labels.js';
import { seedFromEnvironment } from '../../support/random.js';
import { scaled } from '../../support/scale.js';
import { TASK_STORES } from '../../support/store/task-stores.js';
import { until } from '../../support/until.js';

const ROUNDS = scaled({ short: 12, long: 120 });
const SHADOW = { model: 'n', share: 1 };
const CONTENT: TaskContent = {
  questions: '{"q":1}',
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: SHADOW,
};
const BOUNDS = { answersOfTask: 5_000, maxAnswers: () => 10_000, retentionDays: () => 30 };
const PLACE = { workspace: 'w', name: 'a' };
const COMPARED = { version: 1, live: 'm-1', shadow: 'n-1' };
const ACCEPTANCE = { temperature: 1, threshold: 0.8 };
const NOBODY = { version: null, build: null };

const put = (tasks: TaskStore, change: Partial<TaskContent> = {}): Promise<Task> => {
  const content = { ...CONTENT, ...change };
  return tasks.put(PLACE, content, (before, id, now) => putTask(before, { ...PLACE, id }, content, now));
};
const record = (tasks: TaskStore, task: Task, reference: string) =>
  tasks.record(task, { reference, version: task.version, build: 'm-1', probabilities: [[0.75, 0.25]] });
const label = (tasks: TaskStore, task: Task, reference: string) =>
  tasks.label(task, [{ line: 1, reference, expected: { q: 1 }, answer: null }]);
const promote = (
  tasks: TaskStore,
  place = PLACE,
  builds = { live: 'm-1', shadow: 'n-1' },
  expected: ExpectedShadow = NOBODY,
) =>
  tasks.promote(
    place,
    'key:key_1',
    (before, now) => promoteTask(before, () => builds, expected, 'key_1', now),
    false,
  );

interface Pair {
  readonly reference: string;
  readonly live: number;
  readonly shadow: number;
}

const addedTo = (counts: ShadowCounts, { live, shadow }: Pair) =>
  withPair(counts, { live: [live, 1 - live], shadow: [shadow, 1 - shadow] }, ACCEPTANCE);
const pairsOf = (pairs: readonly Pair[], compared = COMPARED): NewPairs => ({
  ...compared,
  questions: [pairs.reduce(addedTo, NO_SHADOW_ANSWERS)],
  answers: pairs.map(({ reference, shadow }) => ({ reference, probabilities: [[shadow, 1 - shadow]] })),
});
const PAIR = { reference: 'req_1', live: 0.75, shadow: 0.5 };

for (const { name, options, open } of TASK_STORES) {
  test(`${name}: pairs are counted, and added to the kept and to the labelled answer`, options, async (t) => {
    const { tasks, content, answers } = await open(t);
    tasks.start(BOUNDS);
    t.teardown(() => tasks.stop());
    const empty = await content();
    const task = await put(tasks);
    t.equal(await tasks.counted(task), undefined);
    for (const reference of ['req_1', 'req_2', 'req_3']) record(tasks, task, reference);
    await label(tasks, task, 'req_2');
    const pairs = ['req_1', 'req_2', 'req_gone'].map((reference) => ({ ...PAIR, reference }));
    t.ok(await tasks.addPairs(task, pairsOf(pairs)));
    const counted = (await tasks.counted(task)) as ShadowRecord;
    t.match(counted, { ...COMPARED, questions: [{ answers: 3, agreed: 3, options: 6 }] });
    const shadow = { build: 'n-1', probabilities: [[0.5, 0.5]], since: counted.since };
    const { kept, labelled } = await answers(task);
    t.strictSame(
      kept.map((each) => [each.reference, each.shadow]),
      [
        ['req_1', shadow],
        ['req_2', shadow],
        ['req_3', undefined],
      ],
    );
    t.strictSame(
      labelled.map((each) => [each.reference, each.shadow, each.probabilities]),
      [['req_2', shadow, [[0.75, 0.25]]]],
    );
    await label(tasks, task, 'req_1');
    t.strictSame((await answers(task)).labelled[0]?.shadow, shadow, 'a label after the pair');
    // With its quotation mark: three characters may occur in the bytes of a key.
    t.notMatch(await content(), /n-1\\*"|shadow 1/, 'encrypted');
    await tasks.remove(PLACE);
    t.equal(await tasks.counted(task), undefined);
    t.notOk(await tasks.addPairs(task, pairsOf([PAIR])));
    await until(async () => (await content()) === empty);
  });

  test(
    `${name}: counts begin anew with a version or a build, and end with the shadow`,
    options,
    async (t) => {
      const { tasks, content } = await open(t);
      const countsOf = async (task: Task) => (await tasks.counted(task))?.questions[0]?.answers;
      const task = await put(tasks);
      await tasks.addPairs(task, pairsOf([PAIR, PAIR]));
      const { since } = (await tasks.counted(task)) as ShadowRecord;
      await tasks.addPairs(task, pairsOf([PAIR]));
      t.equal(await countsOf(task), 3);
      t.equal((await tasks.counted(task))?.since, since);
      await tasks.addPairs(task, pairsOf([PAIR], { ...COMPARED, shadow: 'n-2' }));
      t.equal(await countsOf(task), 1, 'another shadow build');
      await tasks.addPairs(task, pairsOf([PAIR, PAIR], { ...COMPARED, live: 'm-2' }));
      t.equal(await countsOf(task), 2, 'another live build');
      await put(tasks, { shadow: { ...SHADOW, share: 0.5 } });
      t.ok(await tasks.addPairs(task, pairsOf([PAIR], { ...COMPARED, live: 'm-2' })));
      t.equal(await countsOf(task), 3, 'another share');
      const second = await put(tasks, { questions: '{"q":2}' });
      t.notOk(await tasks.addPairs(task, pairsOf([PAIR])), 'pairs of an earlier version');
      t.ok(await tasks.addPairs(second, pairsOf([PAIR], { ...COMPARED, version: 2 })));
      t.match(await tasks.counted(second), { version: 2, questions: [{ answers: 1 }] });
      await put(tasks, { questions: '{"q":2}', shadow: { model: 'o', share: 1 } });
      t.notOk(await tasks.addPairs(second, pairsOf([PAIR], { ...COMPARED, version: 2 })), 'another shadow');
      const none = await put(tasks, { questions: '{"q":2}', shadow: null });
      t.equal(await tasks.counted(none), undefined);
      t.notOk(await tasks.addPairs(none, pairsOf([PAIR], { ...COMPARED, version: 2 })));
      const before = await content();
      await put(tasks, { questions: '{"q":2}', shadow: null });
      t.equal(await content(), before);
      const again = await put(tasks, { questions: '{"q":2}' });
      t.notOk(
        await tasks.addPairs(second, pairsOf([PAIR], { ...COMPARED, version: 2 })),
        'of the one before',
      );
      t.equal(await tasks.counted(again), undefined);
      t.ok(await tasks.addPairs(again, pairsOf([PAIR], { ...COMPARED, version: 2 })));
    },
  );

  test(
    `${name}: labels are compared of the pairs that are counted, and of no earlier ones`,
    options,
    async (t) => {
      const { tasks, clock } = await open(t);
      tasks.start(BOUNDS);
      t.teardown(() => tasks.stop());
      let task = await put(tasks);
      const labels = async () => {
        const counted = (await tasks.counted(task)) as ShadowRecord;
        const labelled = (await tasks.labelled(task, 'm-1')) as LabelledRows;
        const [counts] = compareLabels({ task: task.id, ...labelled, questions: ['q'], counted });
        return [counted.questions[0]?.answers, counts && shadowReportOf(counts).labels];
      };
      const pair = async (reference: string, compared = COMPARED) => {
        record(tasks, task, reference);
        await label(tasks, task, reference);
        clock.advance(1);
        t.ok(await tasks.addPairs(task, pairsOf([{ ...PAIR, reference }], compared)));
        return labels();
      };
      t.strictSame(await pair('req_1'), [1, 1]);
      t.strictSame(await pair('req_2'), [2, 2]);
      await put(tasks, { shadow: null });
      task = await put(tasks);
      t.strictSame(await pair('req_3'), [1, 1], 'the shadow was removed and set again');
      t.strictSame(await pair('req_4', { ...COMPARED, shadow: 'n-2' }), [1, 1], 'another build');
      t.strictSame(await pair('req_5'), [1, 1], 'the first build again');
      t.strictSame(await pair('req_6'), [2, 2]);
    },
  );

  test(`${name}: an answer that was replaced is not written again`, options, async (t) => {
    const { tasks, references, answers, flush } = await open(t);
    tasks.start({ ...BOUNDS, answersOfTask: 2 });
    t.teardown(() => tasks.stop());
    const task = await put(tasks);
    for (const at of [1, 2, 3, 4]) record(tasks, task, `req_${at}`);
    await flush();
    const adding = tasks.addPairs(
      task,
      pairsOf(['req_1', 'req_3', 'req_4'].map((reference) => ({ ...PAIR, reference }))),
    );
    record(tasks, task, 'req_5');
    t.ok(await adding);
    await flush();
    t.strictSame(await references(task), ['req_4', 'req_5']);
    t.ok((await answers(task)).kept[0]?.shadow);
  });

  test(`${name}: a promotion and its entry in the audit log are stored together`, options, async (t) => {
    const { tasks, audit, content } = await open(t);
    await t.rejects(promote(tasks), { type: 'task_not_found' } as never);
    const task = await put(tasks);
    await t.rejects(promote(tasks), { type: 'shadow_changed' } as never);
    await tasks.addPairs(task, pairsOf([PAIR]));
    const before = await content();
    await t.rejects(promote(tasks, PLACE, { live: 'm-2', shadow: 'n-1' }), {
      type: 'shadow_changed',
    } as never);
    await t.rejects(promote(tasks, { workspace: 'v', name: 'a' }), { type: 'task_not_found' } as never);
    t.strictSame([await content(), await audit()], [before, []], 'nothing is changed by a refusal');
    const promoted = await promote(tasks);
    t.match(promoted, { id: task.id, version: 2, model: 'n-1', shadow: null });
    t.strictSame(await tasks.find(PLACE), promoted);
    t.equal(await tasks.questions(promoted, 2), CONTENT.questions);
    t.match(await tasks.versions(promoted), [{ model: null }, { model: 'n-1' }]);
    t.equal(await tasks.counted(promoted), undefined);
    t.match(await audit(), [
      {
        actor: 'key:key_1',
        action: 'task.promote',
        workspace: 'w',
        key: 'key_1',
        changes: [
          { field: 'task', before: null, after: 'a' },
          { field: 'version', before: '1', after: '2' },
          { field: 'model', before: null, after: 'n-1' },
        ],
      },
    ]);
    await t.rejects(promote(tasks), { type: 'no_shadow' } as never);
    const stored = await content();
    t.strictSame(await promote(tasks, PLACE, undefined, { version: 1, build: 'n-1' }), promoted, 'again');
    t.strictSame([await content(), (await audit()).length], [stored, 1], 'nothing more is stored');
    t.notOk(await tasks.addPairs(task, pairsOf([PAIR])), 'pairs of the time before');
  });

  test(`${name}: counts equal a recomputation, whatever is written by which node`, options, async (t) => {
    const { tasks, other, answers, flush } = await open(t);
    const seed = seedFromEnvironment();
    t.comment(`seed ${seed}`);
    const next = random(seed);
    const nodes = [tasks, ...(other === null ? [] : [other])];
    for (const node of nodes) node.start(BOUNDS);
    t.teardown(() => Promise.all(nodes.map((node) => node.stop())));
    const task = await put(tasks);
    const all: Pair[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        nodes.map((node, at) => {
          const pairs = Array.from({ length: Math.floor(next.number() * 40) }, (_, number) => ({
            reference: `req_${round}_${at}_${number}`,
            live: Math.round(next.number() * 1_024) / 1_024,
            shadow: Math.round(next.number() * 1_024) / 1_024,
          }));
          for (const { reference, live } of pairs) {
            const probabilities = [[live, 1 - live]];
            node.record(task, { reference, version: 1, build: 'm-1', probabilities });
          }
          all.push(...pairs);
          return node.addPairs(task, pairsOf(pairs));
        }),
      );
    }
    await flush();
    const counted = (await tasks.counted(task)) as ShadowRecord;
    t.strictSame(counted.questions, [all.reduce(addedTo, NO_SHADOW_ANSWERS)]);
    const { kept } = await answers(task);
    const recounted = kept.map(({ reference, probabilities, shadow }) => ({
      reference,
      live: probabilities[0]?.[0] ?? -1,
      shadow: shadow?.probabilities[0]?.[0] ?? -1,
    }));
    t.strictSame(counted.questions, [recounted.reduce(addedTo, NO_SHADOW_ANSWERS)], 'from the kept answers');
  });
}
