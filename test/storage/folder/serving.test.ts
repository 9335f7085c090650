import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { lockFile } from '../../../src/base/index.js';
import { dataFileOf } from '../../../src/storage/data-folder/data-folder.js';
import { serveAlone, serveWithoutStore } from '../../../src/storage/data-folder/serving.js';
import { openStore } from '../../../src/storage/folder/index.js';
import { serveStore } from '../../../src/storage/folder/lmdb/format.js';
import { servingPid, servingProcess } from '../../../src/storage/index.js';
import { child } from '../../support/child.js';
import { IN_NAMESPACE, NO_NAMESPACE } from '../../support/namespace.js';
import { emptyStore } from '../../support/store/opened.js';

const CHILD = new URL('../../support/store/child.js', import.meta.url);

test('a second server of a folder is refused with the process of the first, until that is killed', async (t) => {
  const { folder } = emptyStore(t);
  const first = child(t, CHILD, [folder]);
  t.equal(await first.line(), 'open');
  const pid = await first.ask('serve');
  const refused = {
    name: 'StoreError',
    message: new RegExp(`^The data folder ${folder} is served by process ${pid} on `),
  };
  t.throws(() => serveAlone(folder), refused);
  const third = child(t, CHILD, [folder]);
  t.equal(await third.line(), 'open', 'what does not serve may open it');
  t.match(await third.ask('serve'), /^StoreError: .* is served by process/);
  first.process.kill('SIGKILL');
  await first.end();
  t.equal(servingProcess(folder), null, 'what the first wrote of itself is still there');
  const stop = serveAlone(folder);
  t.match(await third.ask('serve'), new RegExp(`served by process ${process.pid} on`));
  stop();
  t.equal(await third.ask('serve'), String(third.process.pid));
});

test('a folder serves one process, whether its data is there or in a database', async (t) => {
  const { folder } = emptyStore(t);
  const refused = { name: 'StoreError', message: new RegExp(`served by process ${process.pid} on`) };
  const stopNode = serveWithoutStore(folder);
  t.throws(() => serveWithoutStore(folder), refused);
  t.throws(() => serveAlone(folder), refused);
  t.equal(servingPid(folder), process.pid);
  stopNode();
  t.equal(servingProcess(folder), null);
  const stop = serveAlone(folder);
  t.throws(() => serveWithoutStore(folder), refused);
  stop();
  serveWithoutStore(folder)();
  const made = join(folder, 'a', 'b');
  serveWithoutStore(made)();
  t.equal(servingProcess(made), null);
  t.throws(() => serveWithoutStore(dataFileOf(folder)), { message: /cannot be used/ });
});

test('the server removes what interrupted commands have left in the folder of the store', async (t) => {
  const folder = t.testdir({ store: { unfinished: { lock: '' }, upgrade: { store: {} } } });
  const { store, leave } = serveStore(folder, () => []);
  await store.close();
  leave();
  t.strictSame(readdirSync(join(folder, 'store')).sort(), ['commit.lock', 'data.mdb', 'lock.mdb']);
});

test('a server that was suspended continues to serve', async (t) => {
  const { folder } = emptyStore(t);
  const first = child(t, CHILD, [folder]);
  await first.line();
  const pid = await first.ask('serve');
  first.process.kill('SIGSTOP');
  t.throws(() => serveAlone(folder), { message: new RegExp(`served by process ${pid} `) });
  t.match(servingProcess(folder), `process ${pid} on`);
});

test('commands that only read never make a server refuse to start', async (t) => {
  const { folder } = emptyStore(t);
  for (let starts = 0; starts < 200; starts += 1) {
    t.equal(servingProcess(folder), null);
    serveAlone(folder)();
  }
});

test('two servers on one data folder: in another PID namespace it is not opened, with the same process id either', {
  skip: NO_NAMESPACE,
}, async (t) => {
  const { folder } = emptyStore(t);
  const first = child(t, CHILD, [folder], IN_NAMESPACE);
  t.equal(await first.line(), 'open');
  t.equal(await first.ask('serve'), '1');
  t.throws(() => serveAlone(folder), { message: /is served by process 1 on / });
  t.throws(() => openStore(folder), {
    name: 'StoreError',
    message: /process 1 on .*, in another container\. Run /,
  });
  const second = child(t, CHILD, [folder], IN_NAMESPACE);
  t.match(await second.line(), /^StoreError: .*process 1 on .*, in another container/);
});

test('two servers on one data folder: the store is locked before it is opened', async (t) => {
  const folder = t.testdir();
  await openStore(folder).close();
  const file = dataFileOf(folder);
  // A store that cannot be opened, and a server that has the lock and has not yet written its process id.
  const { length } = readFileSync(file);
  writeFileSync(file, Buffer.alloc(length, 1));
  const unlock = lockFile(file) as () => void;
  t.throws(() => serveStore(folder, () => []), {
    message: /^The data folder .* is served by another process\. /,
  });
  unlock();
  t.throws(() => serveStore(folder, () => []), { name: 'StoreError', message: /data\.mdb/ });
  t.equal(servingProcess(folder), null, 'the lock is released');
});

test('the lock decides whether a folder is served, not the file server.json', async (t) => {
  const { folder } = emptyStore(t);
  const file = join(folder, 'store', 'server.json');
  for (const text of ['', '{"pid":1}', JSON.stringify({ pid: 1, host: 'h', namespace: 'pid:[1]' })]) {
    writeFileSync(file, text);
    t.equal(servingProcess(folder), null);
    await openStore(folder).close();
    const stop = serveAlone(folder);
    t.match(JSON.parse(readFileSync(file, 'utf8')), { pid: process.pid });
    writeFileSync(file, text.slice(0, 5));
    t.equal(servingProcess(folder), 'another process');
    stop();
  }
});
