// A process that changes tasks on and on, and says what was acknowledged. It is killed.
import { systemClock } from '../../../src/base/index.js';
import { NO_SHADOW_ANSWERS, withPair } from '../../../src/statistics/index.js';
import { Database } from '../../../src/storage/database/index.js';
import { DatabaseTasks } from '../../../src/storage/database/tasks/tasks.js';
import { openStore, Sealer } from '../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../src/storage/folder/ledger/folder-access.js';
import { FolderTasks } from '../../../src/storage/folder/tasks/tasks.js';
import { promoteTask, putTask, type Task, type TaskStore } from '../../../src/tasks/index.js';
import { fitOf, monitorOf } from './fitted-task.js';

/** Where the tasks are, and what tells this process from others. */
export interface ChildOrder {
  readonly folder: string | null;
  readonly url: string;
  /** The master key of the database, in hexadecimal. */
  readonly masterKey: string;
  readonly round: number;
}

const order = JSON.parse(process.env.ORDER ?? 'null') as ChildOrder;
const onError = (error: unknown) => {
  throw error;
};

function openTasks({ folder, url, masterKey }: ChildOrder): TaskStore {
  const clock = systemClock;
  if (folder === null) {
    const database = new Database({ url, connections: 3, ca: '' });
    const key = Buffer.from(masterKey, 'hex');
    const session = { id: null, lost() {} };
    return new DatabaseTasks({ database, session, masterKey: () => key, clock, onError });
  }
  const store = openStore(folder);
  const access = new FolderAccess(store, clock, onError);
  return new FolderTasks({ store, sealer: new Sealer(store, ''), access, clock, onError });
}

const tasks = openTasks(order);
const settings = { model: null, description: null, targetError: 0.05, confidence: 0.95 };
const SHADOW = { model: 'n', share: 1 };
const COMPARED = { version: 1, live: 'm-1', shadow: 'n-1' };
const put = (name: string, questions: string, shadow: typeof SHADOW | null = null) => {
  const place = { workspace: 'w', name };
  const content = { questions, ...settings, shadow };
  return tasks.put(place, content, (before, id, now) => putTask(before, { ...place, id }, content, now));
};
const say = (...words: readonly unknown[]) => process.stdout.write(`${words.join(' ')}\n`);

tasks.start({ answersOfTask: 1_000, maxAnswers: () => 10_000, retentionDays: () => 30 });
const task = await put('a', '{"q":1}', SHADOW);

/** Adds a pair to what is counted of the shadow of a task. */
async function addPair(to: Task, reference: string): Promise<void> {
  const live = [0.25, 0.75];
  const shadow = [0.5, 0.5];
  const questions = [withPair(NO_SHADOW_ANSWERS, { live, shadow }, { temperature: 1, threshold: 0.5 })];
  const answers = [{ reference, probabilities: [shadow] }];
  await tasks.addPairs(to, { ...COMPARED, questions, answers });
}

for (let at = 0; ; at += 1) {
  const reference = `req_${order.round}_${at}`;
  tasks.record(task, { reference, version: 1, build: 'm-1', probabilities: [[0.25, 0.75]] });
  await tasks.label(task, [{ line: 1, reference, expected: { q: 1 }, answer: null }]);
  say('label', reference);
  if (at % 2 === 0) {
    await addPair(task, reference);
    say('pair', reference);
  }
  if (at === 4) {
    const name = `p${order.round}`;
    await addPair(await put(name, '{"q":1}', SHADOW), reference);
    const unchecked = { version: null, build: null };
    const promoted = await tasks.promote(
      { workspace: 'w', name },
      'key:k',
      (before, now) => promoteTask(before, () => COMPARED, unchecked, 'k', now),
      false,
    );
    say('promoted', promoted.version);
  }
  if (at % 3 === 0) {
    const fit = fitOf(task, order.round * 1_000_000 + at);
    await tasks.putFit(task, fit, JSON.stringify({ at: fit.at }), monitorOf(fit));
    say('fit', fit.at);
  }
  if (at % 5 === 0 && at < 40) {
    const { version } = await put(`b${order.round}`, `{"q":${at}}`);
    say('version', version);
  }
}
