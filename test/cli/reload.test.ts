import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { onReloadSignals } from '../../src/cli/reload-signals.js';
import { openStore, serveAlone } from '../../src/store/index.js';
import { decider, run } from '../support/cli.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

test('reload: the server reads its file again; a mistake changes nothing and is one line', async (t) => {
  const folder = dataFolder(t);
  const config = join(folder, 'decider.json');
  const write = (settings: object) => writeFileSync(config, JSON.stringify(settings));
  write({});
  const environment = {
    DECIDER_DATA: join(folder, 'data'),
    DECIDER_MODELS: modelsFolder(folder),
    DECIDER_CONFIG: config,
  };
  const server = decider(t, ['serve'], environment);
  await server.line(/^try: /);
  const reload = (...args: string[]) => run(t, ['reload', ...args], environment);
  t.match(await reload(), { code: 0, stdout: 'Nothing has changed.' });
  write({ log: { level: 'error' } });
  t.match(await reload(), { code: 0, stdout: 'changed: log.level' });
  write({ log: { level: 'info' }, console: { enabled: false } });
  const refused = await reload();
  t.equal(refused.code, 1);
  t.equal(refused.stderr, 'Nothing was changed: console.enabled: a change needs a restart.\n');
  write({ log: { level: 'info' } });
  t.strictSame(JSON.parse((await reload('--json')).stdout), { changed: ['log.level'] });
  server.child.kill('SIGHUP');
  const printed = () => server.lines.filter((line) => line.includes('reloaded: '));
  await until(() => printed().length === 5);
  t.strictSame(printed(), [
    'reloaded: nothing has changed',
    'reloaded: log.level',
    'not reloaded: console.enabled: a change needs a restart.',
    'reloaded: log.level',
    'reloaded: nothing has changed',
  ]);
  server.child.kill('SIGTERM');
  t.equal((await server.end()).code, 0);
  t.notOk(existsSync(join(folder, 'data', 'store', 'reload.json')));
  t.match(await reload(), { code: 1, stderr: /^The data folder \S+ is served by no process\.\n$/ });
});

test('reload: a process that cannot reload is not signalled', async (t) => {
  const data = dataFolder(t);
  await openStore(data).close();
  t.teardown(serveAlone(data));
  t.match(await run(t, ['reload'], { DECIDER_DATA: data }), {
    code: 1,
    stderr: `Process ${process.pid} is still starting, or is of a version that cannot reload.\n`,
  });
});

test('reload: SIGHUP of a terminal that was closed ends the process as before', async (t) => {
  const listened = (isTerminal: boolean) => {
    const signals: string[] = [];
    onReloadSignals(() => {}, isTerminal, { on: (name: string) => signals.push(name) } as never);
    return signals;
  };
  t.strictSame(listened(true), ['SIGUSR2']);
  t.strictSame(listened(false), ['SIGUSR2', 'SIGHUP']);
});
