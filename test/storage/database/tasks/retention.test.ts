// What one node of a cluster deletes of answers and labels for all.
import { type Test, test } from 'tap';
import { DAY_MS } from '../../../../src/base/index.js';
import { statement } from '../../../../src/storage/database/index.js';
import { expireAnswers, expireLabels } from '../../../../src/storage/database/tasks/old-rows.js';
import { DatabaseRetention } from '../../../../src/storage/database/tasks/retention.js';
import { RETENTION_EVERY_MS } from '../../../../src/tasks/index.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** A database with the sessions 1 and 2, and a task `t` without answers. */
async function world(t: Test) {
  const { database } = await newDatabase(t);
  const run = <Row extends object>(text: string, ...values: unknown[]) =>
    database.query<Row>(statement('', text), values);
  await run(`INSERT INTO nodes (id, name, version, format, started, seen, expires)
    SELECT id, '', '', 1, 0, 0, 9000000000000000 FROM generate_series(1, 2) AS ids(id)`);
  await run(`INSERT INTO tasks VALUES ('w', 'a', 't', 0, 0, 1, 0, '', 0, 0)`);
  const clock = fakeClock();
  const errors: unknown[] = [];
  const retention = (id: number) => {
    const bounds = { retentionDays: () => 30 };
    const session = { id, lost() {} };
    const onError = (error: unknown) => void errors.push(error);
    const made = new DatabaseRetention({ database, session, clock, bounds, onError });
    t.teardown(() => made.stop());
    return made;
  };
  return {
    database,
    run,
    clock,
    errors,
    retention,
    /** Adds answers with the next numbers, and as many labels; all of them were made so many days ago. */
    async add(task: string, count: number, days: number) {
      const [{ last } = { last: 0 }] = await run<{ last: number }>(
        `SELECT coalesce(max(number), 0) AS last FROM task_answers WHERE task = $1`,
        task,
      );
      const at = `${NOW} - $4::bigint`;
      const rows = `generate_series($2::bigint + 1, $2::bigint + $3::bigint) AS numbers(number)`;
      const values = [task, last, count, days * DAY_MS];
      await run(
        `INSERT INTO task_answers SELECT $1, number, number::text, ${at}, 1, 'm', '' FROM ${rows}`,
        ...values,
      );
      await run(
        `INSERT INTO task_labels SELECT $1, number::text, ${at}, 1, 'm', '', '' FROM ${rows}`,
        ...values,
      );
      await run('UPDATE tasks SET answers = $2 WHERE id = $1', task, last + count);
    },
    /** How many answers and labels there are. */
    async counts() {
      const [row] = await run<{ answers: number; labels: number }>(
        `SELECT (SELECT count(*)::int FROM task_answers) AS answers, (SELECT count(*)::int FROM task_labels) AS labels`,
      );
      return [row?.answers, row?.labels];
    },
  };
}

test('what is too old goes in parts', NEEDS_POSTGRES, async (t) => {
  const { database, run, clock, errors, retention, add, counts } = await world(t);
  await add('t', 2_500, 31);
  await add('t', 3, 29);
  retention(1).start();
  await until(() => clock.timers() === 1);
  t.strictSame(await counts(), [3, 3]);
  t.strictSame(await run('SELECT answers, oldest FROM tasks'), [{ answers: 2_503, oldest: 2_500 }]);
  t.equal(database.statements.get('task-labels-expire'), 3);
  t.strictSame(errors, []);
});

test('a step that takes too long is reported, and the others run', NEEDS_POSTGRES, async (t) => {
  const { run, clock, errors, retention, add, counts } = await world(t);
  await add('t', 5, 31);
  await run(`CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '57014'; END $$`);
  await run(
    'CREATE TRIGGER cancel BEFORE DELETE ON task_answers FOR EACH STATEMENT EXECUTE FUNCTION cancel()',
  );
  retention(1).start();
  await until(() => clock.timers() === 1);
  t.match(errors, [{ name: 'DatabaseUnavailable', code: '57014' }]);
  t.strictSame(await counts(), [5, 0]);
  await run('DROP TRIGGER cancel ON task_answers');
  clock.advance(RETENTION_EVERY_MS);
  await until(() => clock.timers() === 1);
  t.strictSame(await counts(), [0, 0]);
});

test('one node does it for all, and another one after it', NEEDS_POSTGRES, async (t) => {
  const { database, clock, errors, retention, add, counts } = await world(t);
  const [one, two] = [retention(1), retention(2)];
  one.start();
  await until(() => clock.timers() === 1);
  await add('t', 5, 31);
  const before = database.statements.get('task-answers-old');
  two.start();
  await until(() => clock.timers() === 2);
  t.equal(database.statements.get('task-answers-old'), before);
  t.strictSame(await counts(), [5, 5]);
  await one.stop();
  t.equal(clock.timers(), 1);
  clock.advance(RETENTION_EVERY_MS);
  await until(() => clock.timers() === 1);
  t.strictSame(await counts(), [0, 0]);
  t.strictSame(errors, []);
});

test('answers and labels without a task go, however young they are', NEEDS_POSTGRES, async (t) => {
  const { clock, errors, retention, add, counts, run } = await world(t);
  await add('deleted', 1_001, 0);
  await add('t', 2, 0);
  await add('zero', 1, 100);
  retention(1).start();
  await until(() => clock.timers() === 1);
  t.strictSame(await counts(), [2, 2]);
  t.strictSame(await run('SELECT DISTINCT task FROM task_answers'), [{ task: 't' }]);
  t.strictSame(errors, []);
});

test('a stop waits for the statement in progress only', async (t) => {
  for (const expire of [expireAnswers, expireLabels]) {
    const leaving = new AbortController();
    let executed = 0;
    const sql = {
      query: async <Row>() => [{ task: 't', number: 1 }] as Row[],
      async execute() {
        executed += 1;
        if (executed === 2) leaving.abort();
        return 1_000;
      },
    };
    await expire(sql, 1, leaving.signal);
    t.equal(executed, 2);
  }
});
