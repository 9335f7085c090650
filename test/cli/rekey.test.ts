// `decider rekey` beside a running server.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { readRequest, writeRequest } from '../../src/cli/rekey-request.js';
import { Rekeys } from '../../src/cli/rekeys.js';
import { serveAlone } from '../../src/storage/data-folder/serving.js';
import { openStore, Sealer } from '../../src/storage/folder/index.js';
import { decider, run } from '../support/cli.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

const [GIVEN, NEXT] = ['ab'.repeat(32), 'cd'.repeat(32)];
const LINES = Array.from({ length: 30 }, (_, at) =>
  JSON.stringify({
    custom_id: `line-${at}`,
    model: 'tiny',
    state: `${at}`,
    questions: { q: { type: 'noul' } },
  }),
).join('\n');

/** A server process with a configuration file, and commands on its data folder. */
async function served(t: Test, settings: object = {}) {
  const folder = dataFolder(t);
  const data = join(folder, 'data');
  const config = join(folder, 'decider.json');
  const configure = (next: object) => writeFileSync(config, JSON.stringify(next), { mode: 0o600 });
  configure(settings);
  const environment = { DECIDER_DATA: data, DECIDER_MODELS: modelsFolder(folder), DECIDER_CONFIG: config };
  let token = '';
  const start = async () => {
    const command = decider(t, ['serve'], environment);
    const url = (await command.line(/^listening on /)).slice('listening on '.length);
    if (token === '') token = (await command.line(/^token: /)).slice('token: '.length);
    await command.line(/^try: /);
    const ask = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jsonl' };
      const response = await fetch(`${url}/v1/batches${path}`, { headers, ...init });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return response;
    };
    return {
      command,
      submit: async () =>
        ((await (await ask('', { method: 'POST', body: LINES })).json()) as { id: string }).id,
      results: async (id: string) => {
        const isDone = async () =>
          ((await (await ask(`/${id}`)).json()) as { results_available: boolean }).results_available;
        await until(isDone);
        return (await (await ask(`/${id}/results`)).text()).trimEnd().split('\n').length;
      },
    };
  };
  const here = (...args: string[]) => run(t, args, environment);
  return { folder, data, configure, start, run: here };
}

test('rekey: beside a server, batches of before and after the change continue, also after a restart', async (t) => {
  const { data, start, run: here } = await served(t);
  const first = await start();
  const before = readFileSync(join(data, 'master.key'), 'utf8');
  const ids = [await first.submit()];
  const changing = here('rekey', '--json');
  ids.push(await first.submit());
  const { code, stdout, stderr } = await changing;
  t.equal(code, 0, stderr);
  const { data_keys: count, earlier_key: earlier } = JSON.parse(stdout);
  t.ok(count === 1 || count === 2, `${count}`);
  t.equal(readFileSync(earlier, 'utf8'), before);
  t.not(readFileSync(join(data, 'master.key'), 'utf8'), before);
  ids.push(await first.submit());
  first.command.child.kill('SIGKILL');
  await first.command.end();
  const second = await start();
  for (const id of ids) t.equal(await second.results(id), 30);
  t.equal((await here('verify')).code, 0);
  t.match((await here('rekey')).stdout, /^Data keys encrypted with the new master key: 3\.\nKeep /);
  t.match((await here('reload')).stdout, /^Nothing has changed\.$/, 'a reload is not taken for a change');
  for (const id of ids) t.equal(await second.results(id), 30);
  t.strictSame(
    readdirSync(join(data, 'store')).filter((name) => name.startsWith('rekey')),
    ['rekey.lock'],
  );
});

test('rekey: a configured key is changed beside a server, survives a kill, and is taken over by a reload', async (t) => {
  const { folder, data, configure, start, run: here } = await served(t, { master_key: GIVEN });
  const file = join(folder, 'new.key');
  const first = await start();
  const ids = [await first.submit()];
  t.match(await here('rekey'), {
    code: 1,
    stderr: /^The master key is configured \(master_key\)\. Name a file/,
  });
  t.match(await here('rekey', '--new-key', file), { code: 1, stderr: /new\.key cannot be read: ENOENT/ });
  writeFileSync(file, NEXT, { mode: 0o600 });
  t.match(await here('rekey', '--new-key', file), {
    code: 0,
    stdout:
      /^Data keys encrypted with the new master key: 1\.\nKeep .*\nConfigure the new one \(master_key\), then run: decider reload, or restart the server, if it is a variable \(DECIDER_MASTER_KEY\)\. Leave its file/,
  });
  ids.push(await first.submit());
  first.command.child.kill('SIGKILL');
  await first.command.end();
  t.equal((await here('verify')).code, 0, 'with the earlier key still configured');
  const second = await start();
  t.match(
    second.command.lines.join('\n'),
    /^master_key is not the current master key\. Configure the new one/m,
  );
  for (const id of ids) t.equal(await second.results(id), 30);
  t.match((await here('rekey', '--new-key', file)).stdout, /^An earlier run had encrypted/);
  configure({ master_key: '01'.repeat(32) });
  t.match(await here('reload'), {
    code: 1,
    stderr:
      /^Nothing was changed: master_key is not the current master key\. Configure the new one .* or restart the server, if it is a variable/,
  });
  configure({ master_key: NEXT });
  t.match(await here('reload'), { code: 0, stdout: 'changed: master_key' });
  t.notOk(existsSync(join(data, 'master.key.next')));
  t.match(await here('rekey', '--new-key', file), {
    code: 1,
    stderr: /has the current master key\. Generate a new one/,
  });
  t.equal((await here('verify')).code, 0);
});

test('rekey: a request of a process that has ended, or of an earlier server, is not carried out', async (t) => {
  const data = dataFolder(t);
  await openStore(data).close();
  const lines: string[] = [];
  const rekeys = new Rekeys({
    folder: data,
    print: (line) => lines.push(line),
    log: { info() {}, error() {} } as never,
  });
  const request = { id: 'a', pid: process.pid, newKeyFile: null, outcome: null };
  let changes = 0;
  const server = {
    rekey: async () => {
      changes += 1;
      return { dataKeys: 1, earlier: null };
    },
  };
  writeRequest(data, request);
  t.notOk(rekeys.run(), 'before the server runs');
  rekeys.begin(server);
  t.equal(readRequest(data), null);
  // Greater than any process id.
  writeRequest(data, { ...request, pid: 2 ** 30 });
  t.notOk(rekeys.run());
  writeRequest(data, request);
  t.ok(rekeys.run());
  t.notOk(rekeys.run(), 'a change is in progress: the signal is that of a reload');
  await until(() => readRequest(data)?.outcome !== null);
  t.strictSame(readRequest(data)?.outcome, { error: null, dataKeys: 1, earlier: null });
  t.notOk(rekeys.run(), 'it is answered');
  t.equal(changes, 1);
  rekeys.end();
  writeRequest(data, request);
  t.notOk(rekeys.run(), 'the server is stopping');
});

test('rekey: a server that ends before it answers is one line, and leaves no request', async (t) => {
  const data = dataFolder(t);
  const store = openStore(data);
  new Sealer(store, '');
  await store.close();
  const leave = serveAlone(data);
  writeFileSync(
    join(data, 'store', 'reload.json'),
    JSON.stringify({ pid: process.pid, begun: 0, number: 0, error: null, changed: [] }),
  );
  const onSignal = () => leave();
  process.on('SIGUSR2', onSignal);
  t.teardown(() => process.off('SIGUSR2', onSignal));
  t.match(await run(t, ['rekey'], { DECIDER_DATA: data }), {
    code: 1,
    stderr: `Process ${process.pid} has ended before it answered. Repeat the command.\n`,
  });
  t.equal(readRequest(data), null);
});

test('rekey: of two commands at once, the second one is refused, and the first one reads its outcome', async (t) => {
  const data = dataFolder(t);
  const store = openStore(data);
  new Sealer(store, '');
  await store.close();
  const leave = serveAlone(data);
  t.teardown(() => leave());
  writeFileSync(
    join(data, 'store', 'reload.json'),
    JSON.stringify({ pid: process.pid, begun: 0, number: 0, error: null, changed: [] }),
  );
  let signals = 0;
  const onSignal = () => {
    signals += 1;
  };
  process.on('SIGUSR2', onSignal);
  t.teardown(() => process.off('SIGUSR2', onSignal));
  const first = decider(t, ['rekey', '--json'], { DECIDER_DATA: data });
  await until(() => signals === 1);
  const request = readRequest(data);
  t.match(await run(t, ['rekey'], { DECIDER_DATA: data }), {
    code: 1,
    stderr: 'Another decider rekey is running. Repeat the command when it has ended.\n',
  });
  t.strictSame(readRequest(data), request, 'the request of the first one stays');
  if (request !== null) {
    writeRequest(data, { ...request, outcome: { error: null, dataKeys: 7, earlier: null } });
  }
  t.match(await first.end(), { code: 0, stdout: /"data_keys": 7/ });
  t.equal(signals, 1);
  t.equal(readRequest(data), null);
});
