// Tasks, by both implementations: a data folder and a database.
import { test } from 'tap';
import { COPY_MS } from '../../../src/storage/database/tasks/task-copies.js';
import { putTask, type TaskContent, type TaskPlace, type TaskStore } from '../../../src/tasks/index.js';
import { TASK_STORES } from '../../support/store/task-stores.js';

const SECRET = 'an-unmistakable-text';
const CONTENT: TaskContent = {
  questions: `{"${SECRET}":1}`,
  model: SECRET,
  description: SECRET,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
};
const PLACE: TaskPlace = { workspace: 'w', name: 'a' };

const put = (tasks: TaskStore, place = PLACE, change: Partial<TaskContent> = {}) => {
  const content = { ...CONTENT, ...change };
  return tasks.put(place, content, (before, id, now) => putTask(before, { ...place, id }, content, now));
};

for (const { name, options, open } of TASK_STORES) {
  test(
    `${name}: a task is stored, changed and found, and only its own workspace has it`,
    options,
    async (t) => {
      const { tasks } = await open(t);
      t.equal(await tasks.find(PLACE), undefined);
      t.strictSame(await tasks.list('w'), []);
      const made = await put(tasks);
      t.match(made.id, /^task_\w{24}$/);
      t.strictSame(await tasks.find(PLACE), made);
      t.equal(await tasks.questions(made, 1), CONTENT.questions);
      t.equal(await tasks.questions(made, 2), undefined);
      t.strictSame(await put(tasks), made, 'an equal one changes nothing');
      const changed = await put(tasks, PLACE, { questions: '{"b":2}' });
      t.equal(changed.id, made.id);
      t.strictSame(await tasks.versions(made), [
        { created: made.created, model: SECRET },
        { created: changed.changed, model: SECRET },
      ]);
      t.strictSame(await tasks.find(PLACE), changed);
      t.equal(await tasks.questions(made, 1), CONTENT.questions, 'earlier versions stay');
      t.equal(await tasks.questions(made, 2), '{"b":2}');
      await put(tasks, { workspace: 'w', name: 'A' });
      await put(tasks, { workspace: 'w', name: 'a-b' });
      const names = async (workspace: string) => (await tasks.list(workspace)).map((task) => task.name);
      t.strictSame(await names('w'), ['A', 'a', 'a-b'], 'by bytes');
      t.strictSame(await names('v'), []);
      t.equal(await tasks.find({ workspace: 'v', name: 'a' }), undefined);
    },
  );

  test(`${name}: changes of a workspace are made one after the other`, options, async (t) => {
    const { tasks, other } = await open(t);
    const changes = Array.from({ length: 20 }, (_, at) =>
      put(at % 2 === 0 ? tasks : (other ?? tasks), PLACE, { questions: `{"q":${at}}` }),
    );
    const made = await Promise.all(changes);
    t.equal(new Set(made.map(({ id }) => id)).size, 1);
    t.strictSame(
      made.map(({ version }) => version).sort((one, two) => one - two),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    const refused = tasks.put(PLACE, CONTENT, () => {
      throw new Error('refused');
    });
    await t.rejects(refused, { message: 'refused' });
    t.equal((await put(tasks)).version, 21, 'a refused change does not stop the next one');
  });

  test(`${name}: a change sees how much the other tasks of the workspace take`, options, async (t) => {
    const { tasks } = await open(t);
    const others = async (place: TaskPlace) => {
      let seen: unknown;
      const look = tasks.put(place, CONTENT, (before) => {
        seen = before.others;
        throw new Error('seen');
      });
      await t.rejects(look, { message: 'seen' });
      return seen;
    };
    t.strictSame(await others(PLACE), { count: 0, bytes: 0 });
    await put(tasks);
    const { bytes } = await put(tasks, PLACE, { questions: '{"ü":1}' });
    t.equal(bytes, CONTENT.questions.length + 8);
    await put(tasks, { workspace: 'v', name: 'a' });
    t.strictSame(await others(PLACE), { count: 0, bytes: 0 });
    t.strictSame(await others({ workspace: 'w', name: 'b' }), { count: 1, bytes });
  });

  test(`${name}: nothing that a caller wrote can be read, but the name`, options, async (t) => {
    const { tasks, content } = await open(t);
    await put(tasks);
    const stored = await content();
    t.match(stored, /"a"/);
    t.notMatch(stored, SECRET);
    t.notMatch(stored, Buffer.from(SECRET).toString('base64').slice(2, -4));
  });

  test(`${name}: of a deleted task nothing is left`, options, async (t) => {
    const { tasks, content } = await open(t);
    const empty = await content();
    t.equal(await tasks.remove(PLACE), false);
    const made = await put(tasks);
    await put(tasks, PLACE, { model: null });
    const kept = await put(tasks, { workspace: 'w', name: 'b' });
    t.equal(await tasks.remove(PLACE), true);
    t.equal(await tasks.find(PLACE), undefined);
    t.equal(await tasks.questions(made, 1), undefined);
    t.equal(await tasks.versions(made), undefined);
    t.strictSame(await tasks.list('w'), [kept]);
    const again = await put(tasks);
    t.not(again.id, made.id);
    t.equal(again.version, 1);
    for (const each of ['a', 'b']) await tasks.remove({ workspace: 'w', name: each });
    t.equal(await content(), empty);
  });

  test(`${name}: another node sees a change after a second at the latest`, options, async (t) => {
    const { tasks, other, clock } = await open(t);
    if (other === null) return;
    const first = await put(tasks);
    t.strictSame(await other.find(PLACE), first, 'a task that was not looked for before');
    const second = await put(tasks, PLACE, { model: null });
    t.strictSame(await tasks.find(PLACE), second, 'the node that made the change');
    clock.advance(COPY_MS);
    t.strictSame(await other.find(PLACE), first);
    t.equal((await other.list('w'))[0]?.version, 2, 'lists are read each time');
    clock.advance(1);
    t.strictSame(await other.find(PLACE), second);
    await tasks.remove(PLACE);
    t.strictSame(await other.find(PLACE), second);
    clock.advance(COPY_MS + 1);
    t.equal(await other.find(PLACE), undefined);
    const again = await put(tasks);
    t.strictSame(await other.find(PLACE), again, 'a missing task is looked for each time');
  });
}
