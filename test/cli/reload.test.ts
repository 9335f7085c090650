import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readRequest, writeRequest } from '../../src/cli/rekey-request.js';
import { Rekeys } from '../../src/cli/rekeys.js';
import { outcomeAfter, RELOAD_MS_MAX, SIGNAL_MS } from '../../src/cli/reload.js';
import { Reloads } from '../../src/cli/reloads.js';
import { onReloadSignals } from '../../src/cli/signals.js';
import type { Server } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { serveAlone } from '../../src/storage/data-folder/serving.js';
import { openFolder } from '../../src/storage/folder/folder-storage.js';
import { openStore } from '../../src/storage/folder/index.js';
import { type Rekeyed, readOutcome, removeOutcome, writeOutcome } from '../../src/storage/index.js';
import { ChangingModels, type ModelFile } from '../support/changing-models.js';
import { decider, run } from '../support/cli.js';
import { dataFolder, modelsFolder, testDependencies } from '../support/server.js';
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

test('reload: the server replaces its models; a signal to stop ends a reload in progress', async (t) => {
  const folder = dataFolder(t);
  const models = new ChangingModels(folder);
  const [one, two, three] = [1, 2, 3].map((seed) => models.model(seed)) as [ModelFile, ModelFile, ModelFile];
  models.serve([{ date: '20260101', ...one }]);
  const data = join(folder, 'data');
  const environment = { DECIDER_DATA: data, DECIDER_MODELS: models.path };
  const server = decider(t, ['serve'], environment);
  await server.line(/^try: /);
  models.serve([{ date: '20260102', ...two }]);
  t.match(await run(t, ['reload'], environment), {
    code: 0,
    stdout: 'changed: manifest, added tiny-20260102, removed tiny-20260101',
  });
  models.serve([{ date: '20260103', ...three }]);
  server.child.kill('SIGHUP');
  await until(() => readOutcome(data)?.begun === 2);
  server.child.kill('SIGTERM');
  t.equal((await server.end()).code, 0);
  const said = server.lines.filter((line) => !line.startsWith('loading '));
  t.match(said.at(-1), /reloaded|draining/);
  t.equal(readOutcome(data), null);
});

test('reload: what is asked for while one is in progress becomes a single reload that follows it', async (t) => {
  const folder = dataFolder(t);
  await openStore(folder).close();
  const lines: string[] = [];
  const reloads = new Reloads({
    read: () => loadSettings({}, undefined),
    folder,
    print: (line) => void lines.push(line),
    log: { info: () => {}, error: () => {} } as never,
  });
  const ending: Array<(changed: string[]) => void> = [];
  const reload = () => new Promise<string[]>((resolve) => ending.push(resolve));
  reloads.begin({ reload } as Partial<Server> as Server);
  const all = reloads.run();
  t.match(readOutcome(folder), { begun: 1, number: 0 });
  for (let times = 0; times < 3; times += 1) await reloads.run();
  t.equal(ending.length, 1);
  ending[0]?.(['log.level']);
  await until(() => ending.length === 2);
  t.match(readOutcome(folder), { begun: 2, number: 1, changed: [] });
  ending[1]?.([]);
  await all;
  t.match(readOutcome(folder), { begun: 2, number: 2 });
  t.strictSame(lines, ['reloaded: log.level', 'reloaded: nothing has changed']);
});

test('reload: a process that cannot reload is not signalled', async (t) => {
  const data = dataFolder(t);
  await openStore(data).close();
  t.teardown(serveAlone(data));
  t.match(await run(t, ['reload'], { DECIDER_DATA: data }), {
    code: 1,
    stderr: `Process ${process.pid} is starting or stopping, cannot write to the data folder, or is of a version that cannot reload.\n`,
  });
});

test('reload: a signal that begins no change of the master key is a reload, and SIGHUP always is', async (t) => {
  const folder = dataFolder(t);
  await openStore(folder).close();
  const log = { info: () => {}, error: () => {} } as never;
  const rekeys = new Rekeys({ folder, print: () => {}, log });
  let finish = () => {};
  const rekey = () =>
    new Promise<Rekeyed>((resolve) => {
      finish = () => resolve({ dataKeys: 1, earlier: null });
    });
  rekeys.begin({ rekey });
  let reloads = 0;
  const signals = new EventEmitter();
  onReloadSignals(
    () => {
      reloads += 1;
    },
    () => rekeys.run(),
    false,
    signals,
  );
  const request = { id: 'a', pid: process.pid, newKeyFile: null, outcome: null };
  writeRequest(folder, request);
  signals.emit('SIGUSR2');
  t.equal(reloads, 0, 'the change begins');
  signals.emit('SIGUSR2');
  t.equal(reloads, 1, 'the change is in progress');
  signals.emit('SIGHUP');
  t.equal(reloads, 2);
  finish();
  await until(() => (readRequest(folder)?.outcome ?? null) !== null);
  writeRequest(folder, request);
  signals.emit('SIGHUP');
  t.equal(reloads, 3, 'SIGHUP begins no change');
});

test('reload: the command repeats its signal until the reload begins', async (t) => {
  const data = dataFolder(t);
  await openStore(data).close();
  t.teardown(serveAlone(data));
  const before = { pid: process.pid, begun: 0, number: 0, error: null, changed: [] };
  writeOutcome(data, before);
  let time = 0;
  const signalled: number[] = [];
  const onSignal = () => {
    signalled.push(time);
    if (signalled.length === 2) writeOutcome(data, { ...before, begun: 1, number: 1 });
  };
  process.on('SIGUSR2', onSignal);
  t.teardown(() => process.off('SIGUSR2', onSignal));
  const pause = async () => {
    time += SIGNAL_MS / 2;
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  t.match(await outcomeAfter(data, before, () => time, pause), { number: 1 });
  t.equal(signalled.length, 2);
});

test('reload: SIGHUP of a terminal that was closed ends the process as before', async (t) => {
  const listened = (isTerminal: boolean) => {
    const signals: string[] = [];
    onReloadSignals(
      () => {},
      () => false,
      isTerminal,
      { on: (name: string) => signals.push(name) } as never,
    );
    return signals;
  };
  t.strictSame(listened(true), ['SIGUSR2']);
  t.strictSame(listened(false), ['SIGUSR2', 'SIGHUP']);
});

test('reload: the folder of models is that of the start; a server stops even if the outcome cannot be removed', async (t) => {
  const folder = dataFolder(t);
  const models = modelsFolder(folder);
  const data = join(folder, 'data');
  const outcome = join(data, 'store', 'reload.json');
  const server = decider(t, ['serve'], { DECIDER_DATA: data }, `cd '${folder}' &&`);
  await server.line(/^try: /);
  renameSync(models, `${models}.old`);
  t.match(await run(t, ['reload'], { DECIDER_DATA: data }), {
    code: 1,
    stderr: /^Nothing was changed: models\/manifest\.json: the file does not exist/,
  });
  rmSync(outcome);
  mkdirSync(outcome);
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.end();
  t.equal(code, 0);
  t.match(stderr, /the outcome of the last reload cannot be removed/);
});

test('reload: a server that is starting removes the outcome of a process that was killed', async (t) => {
  const data = dataFolder(t);
  await openStore(data).close();
  writeOutcome(data, { pid: process.pid, begun: 7, number: 7, error: null, changed: [] });
  const { dependencies } = testDependencies();
  const settings = loadSettings({ DECIDER_DATA: data }, undefined);
  const opened = await openFolder(settings, dependencies);
  t.equal(readOutcome(data), null);
  await opened.close();
});

test('reload: a server that is stopping changes and stores nothing', async (t) => {
  const folder = dataFolder(t);
  await openStore(folder).close();
  const lines: string[] = [];
  const reloads = new Reloads({
    read: () => loadSettings({}, undefined),
    folder,
    print: (line) => void lines.push(line),
    log: { info: () => {}, error: () => {} } as never,
  });
  reloads.begin({ reload: async () => [] as string[] } as Partial<Server> as Server);
  await reloads.run();
  t.match(readOutcome(folder), { pid: process.pid, number: 1, error: null });
  reloads.end();
  await reloads.run();
  t.equal(readOutcome(folder), null);
  t.strictSame(lines, ['reloaded: nothing has changed', 'not reloaded: the server is stopping.']);
});

test('reload: an outcome that cannot be stored leaves none that looks like a reload in progress', async (t) => {
  const folder = dataFolder(t);
  await openStore(folder).close();
  const errors: string[] = [];
  const reloads = new Reloads({
    read: () => loadSettings({}, undefined),
    folder,
    print: () => {},
    log: { info: () => {}, error: (_: object, message: string) => errors.push(message) } as never,
  });
  const reload = async () => {
    t.match(readOutcome(folder), { begun: 1, number: 0 });
    // JSON cannot represent it: storing fails, as on a full disk.
    return [1n] as never;
  };
  reloads.begin({ reload } as Partial<Server> as Server);
  await reloads.run();
  t.strictSame(errors, ['the outcome of a reload cannot be stored']);
  t.equal(readOutcome(folder), null);
});

test('reload: the command waits an hour for the end of a reload, and no longer', async (t) => {
  const data = dataFolder(t);
  await openStore(data).close();
  t.teardown(serveAlone(data));
  const before = { pid: process.pid, begun: 0, number: 0, error: null, changed: [] };
  const answerAfter = async (end: number) => {
    let time = 0;
    writeOutcome(data, { ...before, begun: 1 });
    const pause = async () => {
      time += 10_000;
      if (time === end) writeOutcome(data, { ...before, begun: 1, number: 1 });
    };
    return outcomeAfter(data, before, () => time, pause);
  };
  t.match(await answerAfter(RELOAD_MS_MAX - 10_000), { number: 1 });
  await t.rejects(answerAfter(RELOAD_MS_MAX), {
    message: `Process ${process.pid} has not ended the reload within 60 minutes. Its log will have the outcome.`,
  });
});

test('reload: a server that ends or stops before it answers, and one that cannot be signalled, is one line', async (t) => {
  const data = dataFolder(t);
  const environment = { DECIDER_DATA: data };
  await openStore(data).close();
  let leave = serveAlone(data);
  t.teardown(() => leave());
  const answer = { begun: 0, number: 0, error: null, changed: [] };
  const signalled = async (onSignal: () => void) => {
    writeOutcome(data, { ...answer, pid: process.pid });
    process.on('SIGUSR2', onSignal);
    const { code, stderr } = await run(t, ['reload'], environment);
    process.off('SIGUSR2', onSignal);
    t.equal(code, 1);
    return stderr;
  };
  t.equal(
    await signalled(() => removeOutcome(data)),
    `Process ${process.pid} is stopping, or cannot store its answer. Its log has the reason.\n`,
  );
  t.match(await signalled(() => leave()), /^The data folder \S+ is served by no process\.\n$/);
  leave = serveAlone(data);
  const file = join(data, 'store', 'server.json');
  // Greater than any process id.
  const pid = 2 ** 30;
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid }));
  writeOutcome(data, { ...answer, pid });
  t.match(await run(t, ['reload'], environment), { code: 1, stderr: `Process ${pid} has ended.\n` });
});
