import { test } from 'tap';
import { CHANGES } from '../../../../src/access/index.js';
import { DatabaseAdministration } from '../../../../src/storage/database/index.js';
import { run } from '../../../support/cli.js';
import { DatabaseClock } from '../../../support/cluster/database-clock.js';
import { onDatabase, startNode } from '../../../support/node-server.js';
import { operatorFetch, operatorSettings } from '../../../support/operator.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { dataFolder, modelsFolder } from '../../../support/server.js';
import { until } from '../../../support/until.js';

const DAY_MS = 24 * 3_600_000;
/** How far a time is from the exact one at most: by the duration of a heartbeat. */
const NEAR_MS = 60_000;
const QUESTION = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } };

test(
  'a server logs, measures and shows a jump of the database’s clock, and goes on',
  NEEDS_POSTGRES,
  async (t) => {
    const { url, database } = await newDatabase(t);
    const clock = await DatabaseClock.replace(database);
    const operator = await operatorSettings();
    const node = await startNode(t, url, modelsFolder(dataFolder(t)), operator);
    const listener = `http://127.0.0.1:${operator.DECIDER_OPERATOR_PORT}`;
    const administration = new DatabaseAdministration(database, 'test');
    const { token } = await administration.change(CHANGES.createKey('default', '1'));
    const ask = () =>
      fetch(`${node.url}/v1/decide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(QUESTION),
      });
    const shown = async () => {
      const { store } = (await (await operatorFetch(listener, '/status')).json()) as {
        store: { database: { clock: { host_ahead_ms: number; jump_ms: number; certain_ms: number | null } } };
      };
      return store.database.clock;
    };
    const measured = async () =>
      Number(
        /^decider_database_clock_jump_seconds (\S+)$/m.exec(
          await (await operatorFetch(listener, '/metrics')).text(),
        )?.[1],
      );
    const logged = () => node.lines.filter((line) => /the clock of the database has jumped/.test(line));
    await until(async () => (await ask()).status === 200);
    t.match(await shown(), { jump_ms: 0, certain_ms: null });
    t.equal(await measured(), 0);

    await clock.move(15 * DAY_MS);
    await until(async () => (await shown()).jump_ms !== 0);
    t.ok(Math.abs((await shown()).jump_ms - 15 * DAY_MS) < NEAR_MS);
    t.ok(Math.abs((await shown()).host_ahead_ms) < NEAR_MS);
    t.equal((await shown()).certain_ms, 0);
    t.ok(Math.abs(1_000 * (await measured()) - 15 * DAY_MS) < NEAR_MS);
    t.equal(logged().length, 1, logged().join('\n'));
    t.equal((await ask()).status, 200, 'its key lasts a day');
    const environment = { ...onDatabase(url), DECIDER_DATA: dataFolder(t) };
    const made = await run(t, ['keys', 'create', '--workspace', 'default', '--json'], environment);
    t.equal(made.code, 0, made.stderr);
    const { id } = JSON.parse(made.stdout) as { id: string };
    const { created } = await administration.getKey(id);
    t.ok(Math.abs(created - Date.now()) < NEAR_MS, 'commands have the time of the cluster');

    await clock.move(-15 * DAY_MS);
    await until(async () => (await shown()).jump_ms === 0);
    await until(() => node.lines.some((line) => /has returned from its jump/.test(line)));
  },
);
