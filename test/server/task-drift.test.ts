// What the answers to a task say since its fit, through the whole server, on a data folder and on a database.
import { type Test, test } from 'tap';
import { MONITOR_DELAY_MS } from '../../src/server/task-monitors.js';
import { DriftingTask } from '../support/drifting-task.js';
import { movableClock } from '../support/movable-clock.js';
import { onDatabase } from '../support/node-server.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { NEEDS_POSTGRES, newDatabase } from '../support/postgres.js';
import { modelsFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** Wrong labels: the target of the task is 50 %. */
const WRONG = 20;

/** Equal requests are computed once. */
const CACHE = { DECIDER_ENGINE_EXACT: 'true', DECIDER_ENGINE_ANSWER_CACHE_MB: '16' };

const STORES = [
  { name: 'data folder', options: {}, environment: async () => ({}) },
  {
    name: 'database',
    options: NEEDS_POSTGRES,
    environment: async (t: Test) => onDatabase((await newDatabase(t)).url),
  },
];

for (const { name, options, environment } of STORES) {
  test(`${name}: answers that change raise a warning, and a fit ends it`, options, async (t) => {
    const clock = movableClock();
    const settings = { ...CACHE, ...(await operatorSettings()), ...(await environment(t)) };
    const server = await startTestServer(t, settings, modelsFolder(t.testdir()), { clock });
    const task = new DriftingTask(server.url, server.headers.authorization.replace('Bearer ', ''));
    const gauge = async (alarm: string) => {
      const text = await (await operatorFetch(server.operatorUrl as string, '/metrics')).text();
      return text.match(new RegExp(`^decider_task_alarms\\{alarm="${alarm}"\\} (.*)$`, 'm'))?.[1];
    };
    const logged = (message: string) => server.lines.filter((line) => line.includes(message));
    const added = async (answers: number) => {
      // The session of a node would end: its time is that of the database.
      if (name === 'data folder') clock.advance(MONITOR_DELAY_MS);
      await until(async () => (await task.show()).drift['secret question'].answers >= answers);
    };

    await task.make();
    t.strictSame([(await task.show()).drift, await task.warnings()], [null, []]);
    await task.fit();
    const before = (await task.show()).drift['secret question'];
    t.match(before, { answers: 0, window: 0, alarm: null, errors: { labels: 0, after_labels: null } });
    t.equal(before.chosen.stability_index, null);
    await task.askUsual(100);
    await added(100);
    t.strictSame(await task.warnings(), []);
    await task.drift();
    await added(400);
    const { drift, warnings } = await task.show();
    t.strictSame(await task.warnings(), ['drift']);
    t.match(warnings[0], {
      question: 'secret question',
      message: /^The answers to "secret question" have changed/,
    });
    const changed = drift['secret question'];
    t.equal(changed.window, changed.answers);
    t.ok(changed.chosen.stability_index > 1 && changed.chosen.unchanged < 1);
    t.match(changed.alarm, { compared_with: 'labelled', after_answers: Number, share_now: Number });
    await until(async () => (await gauge('drift')) === '1');
    t.equal(await gauge('error'), '0');
    t.equal(logged('answers to a task have drifted').length, 1);

    await task.fit();
    t.match((await task.show()).drift['secret question'], { answers: 0, alarm: null });
    t.strictSame(await task.warnings(), []);
    await until(async () => (await gauge('drift')) === '0');
    t.equal(logged('the drift alarm of a task has ended').length, 1);

    await task.wrong(WRONG);
    t.strictSame(await task.warnings(), ['error_above_target']);
    const { errors } = (await task.show()).drift['secret question'];
    t.match(errors, { labels: WRONG, wrong: WRONG, alarm_at: 2 });
    t.ok(errors.evidence >= 2 && errors.after_labels <= WRONG);
    await until(async () => (await gauge('error')) === '1');
    const lines = [...logged('drift'), ...logged('above its target')];
    t.notMatch(lines.join('\n'), /secret/);
    t.match(lines[0], /"task":"task_/);
  });
}
