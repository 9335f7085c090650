import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { serveAlone } from '../../src/store/index.js';
import { startOfProcess } from '../../src/store/process-identity.js';
import { child } from '../helpers/child.js';
import { emptyStore } from './opened.js';

const CHILD = new URL('./child.js', import.meta.url);

test('a second server of a folder is refused with the process of the first, until that is killed', async (t) => {
  const store = emptyStore(t);
  const first = child(t, CHILD, [store.folder]);
  t.equal(await first.line(), 'open');
  const pid = await first.ask('serve');
  const refused = { name: 'StoreError', message: new RegExp(`is served by the process ${pid};`) };
  t.throws(() => serveAlone(store), refused);
  const third = child(t, CHILD, [store.folder]);
  t.equal(await third.line(), 'open', 'what does not serve may open it');
  t.match(await third.ask('serve'), /^StoreError: .* is served by the process/);
  first.process.kill('SIGKILL');
  await first.end();
  const stop = serveAlone(store);
  t.match(await third.ask('serve'), new RegExp(`served by the process ${process.pid};`));
  stop();
  t.equal(await third.ask('serve'), String(third.process.pid));
});

test('a server that has ended does not end another that came after it', async (t) => {
  const store = emptyStore(t);
  const stop = serveAlone(store);
  const next = { pid: process.ppid, started: startOfProcess(process.ppid) as string };
  store.change(() => store.table('meta').put(['server'], next));
  stop();
  t.same(store.table('meta').get('server'), next);
  t.throws(() => serveAlone(store), new RegExp(`process ${process.ppid};`));
});

test('a process with the id of one that has ended is another', async (t) => {
  const store = emptyStore(t);
  const started = startOfProcess(process.pid) as string;
  t.ok(started);
  t.equal(startOfProcess(process.pid), started);
  t.not(startOfProcess(process.ppid), started);
  store.change(() => store.table('meta').put(['server'], { pid: process.pid, started: `${started}0` }));
  t.doesNotThrow(() => serveAlone(store));
});

const LINUX_ONLY = { skip: process.platform !== 'linux' && 'it looks into /proc' };

test('a process that ended and that its parent has not asked about is none', LINUX_ONLY, async (t) => {
  const store = emptyStore(t);
  // The shell becomes `sleep`, which never asks about the child that the shell had.
  const parent = spawn('bash', ['-c', 'sleep 1000 & echo $!; exec sleep 2000']);
  t.teardown(() => parent.kill('SIGKILL'));
  const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
  store.change(() => store.table('meta').put(['server'], { pid, started: startOfProcess(pid) as string }));
  t.throws(() => serveAlone(store), new RegExp(`process ${pid};`));
  process.kill(pid, 'SIGKILL');
  await until(() => startOfProcess(pid) === null);
  t.doesNotThrow(() => process.kill(pid, 0), 'its id is still taken');
  t.doesNotThrow(() => serveAlone(store));
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
