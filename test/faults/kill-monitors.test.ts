// kill -9 of a server that has compared the answers to a task: what it had stored is there after the next start.
import { type Test, test } from 'tap';
import { type Command, decider } from '../support/cli.js';
import { DriftingTask } from '../support/drifting-task.js';
import { onDatabase } from '../support/node-server.js';
import { NEEDS_POSTGRES, newDatabase } from '../support/postgres.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

const STORES = [
  { name: 'data folder', options: {}, environment: async () => ({}) },
  {
    name: 'database',
    options: NEEDS_POSTGRES,
    environment: async (t: Test) => onDatabase((await newDatabase(t)).url),
  },
];

for (const { name, options, environment } of STORES) {
  test(
    `${name}: a killed server keeps what it knows of the answers, and raises no alarm`,
    options,
    async (t) => {
      const settings = {
        DECIDER_PORT: '0',
        DECIDER_MODELS: modelsFolder(t.testdir()),
        DECIDER_DATA: dataFolder(t),
        DECIDER_ENGINE_BACKEND: 'cpu',
        // Equal requests are computed once.
        DECIDER_ENGINE_EXACT: 'true',
        DECIDER_ENGINE_MEMORY_CHECK: 'false',
        DECIDER_HTTP_TRANSPORT: 'node',
        ...(await environment(t)),
      };
      const start = async () => {
        const command = decider(t, ['serve'], settings);
        const url = (await command.line(/^listening on /)).slice('listening on '.length);
        return { command, url };
      };
      const first = await start();
      const token = (await first.command.line(/^token: /)).slice('token: '.length);
      await first.command.line(/^try: /);
      let task = new DriftingTask(first.url, token);
      const restart = async (command: Command) => {
        await command.kill();
        const next = await start();
        await next.command.line(/^try: /);
        task = task.at(next.url);
        return next.command;
      };
      await task.make();
      await task.fit();
      await task.askUsual(100);
      const answers = async () => (await task.show()).drift['secret question'].answers as number;
      await until(async () => (await answers()) > 0);
      const stored = await answers();
      await task.askUsual(10);
      const second = await restart(first.command);
      t.ok((await answers()) >= stored);
      t.strictSame(await task.warnings(), []);
      await task.drift();
      await until(async () => (await task.warnings()).includes('drift'));
      await task.wrong(20);
      const known = (await task.show()).drift['secret question'];
      const last = await restart(second);
      t.strictSame(await task.warnings(), ['drift', 'error_above_target']);
      const after = (await task.show()).drift['secret question'];
      t.strictSame([after.alarm, after.errors], [known.alarm, known.errors]);
      await last.kill();
    },
  );
}
