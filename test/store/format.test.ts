import { test } from 'tap';
import { openStore, serveAlone, type Upgrade } from '../../src/store/index.js';
import { child } from '../support/child.js';

const CHILD = new URL('../support/store/child.js', import.meta.url);
const step = (from: number): Upgrade => ({
  from,
  run: (store) => {
    const digests = store.table('digests');
    digests.put(['steps'], `${digests.get('steps') ?? ''}${from}`);
  },
});

test('a new folder has the newest format, and no step runs', async (t) => {
  const store = openStore(t.testdir(), 3, [step(1), step(2)]);
  t.equal(store.table('meta').get('format')?.format, 3);
  t.equal(store.table('digests').get('steps'), undefined);
  await store.close();
});

test('an older format is upgraded step by step, once', async (t) => {
  const folder = t.testdir();
  await openStore(folder, 1, []).close();
  for (let round = 0; round < 2; round += 1) {
    const store = openStore(folder, 3, [step(2), step(1)]);
    t.equal(store.table('digests').get('steps'), '12');
    t.equal(store.table('meta').get('format')?.format, 3);
    await store.close();
  }
});

test('a step that fails leaves the folder as it was', async (t) => {
  const folder = t.testdir();
  await openStore(folder, 1, []).close();
  const failing = {
    from: 2,
    run: () => {
      throw new RangeError('no');
    },
  };
  t.throws(() => openStore(folder, 3, [step(1), failing]), { name: 'RangeError' });
  t.throws(() => openStore(folder, 3, [step(1)]), {
    name: 'StoreError',
    message: /has format 2, which this program cannot upgrade/,
  });
  const store = openStore(folder, 1, []);
  t.equal(store.table('digests').get('steps'), undefined);
  await store.close();
});

test('a newer format is refused and not changed', async (t) => {
  const folder = t.testdir();
  await openStore(folder, 3, []).close();
  const newer = { name: 'StoreError', message: /has format 3, and this program supports 2/ };
  t.throws(() => openStore(folder, 2, [step(1)]), newer);
  t.throws(() => openStore(folder, 2, [step(1)]), newer);
});

test('nothing is upgraded while a server runs', async (t) => {
  const folder = t.testdir();
  const server = child(t, CHILD, [folder]);
  t.equal(await server.line(), 'open');
  const pid = await server.ask('serve');
  t.throws(() => openStore(folder, 2, [step(1)]), {
    name: 'StoreError',
    message: new RegExp(`process ${pid} on`),
  });
  server.process.kill('SIGKILL');
  await server.end();
  const store = openStore(folder, 2, [step(1)]);
  t.equal(store.table('digests').get('steps'), '1');
  serveAlone(folder)();
  await store.close();
});
