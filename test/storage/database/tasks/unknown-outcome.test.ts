// Changes of tasks in a database that does not tell what became of a COMMIT.
import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { NO_SHADOW_ANSWERS } from '../../../../src/statistics/index.js';
import {
  CommitUnknown,
  type Database,
  DatabaseUnavailable,
  StatementError,
} from '../../../../src/storage/database/index.js';
import { DatabaseTasks } from '../../../../src/storage/database/tasks/tasks.js';
import type { TaskContent } from '../../../../src/tasks/index.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { SHADOWED } from '../../../support/shadow-world.js';
import { fitOf, monitorOf } from '../../../support/store/fitted-task.js';

const PLACE = { workspace: 'w', name: 'a' };
const CONTENT: TaskContent = {
  questions: '{}',
  model: null,
  description: null,
  targetError: 0.05,
  confidence: 0.95,
  shadow: null,
};
const FIT = fitOf(SHADOWED);
const PAIRS = { version: 1, live: 'm-1', shadow: 'n-1', questions: [NO_SHADOW_ANSWERS], answers: [] };
const never = () => {
  throw new Error('nothing is decided');
};

/** The changes, and what the message says of a repetition. */
const CHANGES: Readonly<Record<string, readonly [(tasks: DatabaseTasks) => Promise<unknown>, RegExp]>> = {
  put: [(tasks) => tasks.put(PLACE, CONTENT, never), /changed\. It is safe to repeat/],
  remove: [(tasks) => tasks.remove(PLACE), /deleted\. Look at the list of tasks before/],
  label: [(tasks) => tasks.label(SHADOWED, []), /It is safe to repeat/],
  putFit: [(tasks) => tasks.putFit(SHADOWED, FIT, '{}', monitorOf(FIT)), /It is safe to repeat/],
  addPairs: [(tasks) => tasks.addPairs(SHADOWED, PAIRS), /It is safe to repeat/],
  promote: [(tasks) => tasks.promote(PLACE, 'key:k', never, false), /promoted\. Look at the task before/],
  'promote a version': [(tasks) => tasks.promote(PLACE, 'key:k', never, true), /It is safe to repeat/],
  changeMonitor: [(tasks) => tasks.changeMonitor(SHADOWED, 'm-1', never), /It is safe to repeat/],
};
/** Clients do not repeat these by themselves. */
const FINAL = ['remove', 'promote'];

/** Tasks whose transactions all end with an error, and the errors that are reported. */
function failing(error: unknown) {
  const errors: unknown[] = [];
  const database = { transaction: () => Promise.reject(error) } as unknown as Database;
  const tasks = new DatabaseTasks({
    database,
    session: { id: null, lost() {} },
    masterKey: () => randomBytes(32),
    clock: fakeClock(),
    onError: (each) => errors.push(each),
  });
  return { tasks, errors };
}

for (const [name, [change, message]] of Object.entries(CHANGES)) {
  test(`${name}: whether it was made is not known, was not made, or cannot be made`, async (t) => {
    const lost = new CommitUnknown('The connection failed.', 'ECONNRESET');
    const unknown = failing(lost);
    await t.rejects(change(unknown.tasks), {
      type: 'outcome_unknown',
      status: 502,
      message,
      headers: { retryAfterSeconds: 1, final: FINAL.includes(name) },
    } as never);
    t.strictSame(unknown.errors, [lost], 'it is reported once');
    const away = failing(new DatabaseUnavailable('The database is away.', '57P01'));
    await t.rejects(change(away.tasks), { type: 'overloaded' } as never);
    t.strictSame(away.errors, [], 'the session reports it');
    const refused = new StatementError('The database refused it.', '42601', undefined);
    const wrong = failing(refused);
    await t.rejects(change(wrong.tasks), { type: 'overloaded' } as never);
    t.strictSame(wrong.errors, [refused]);
  });
}
