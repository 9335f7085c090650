import { join } from 'node:path';
import { test } from 'tap';
import { openStore } from '../../src/store/index.js';

test('openStore: upgrades step by step, and refuses what it does not know', async (t) => {
  const folder = join(t.testdir(), 'data');
  const formatOf = (store: ReturnType<typeof openStore>) => store.table('meta').get('format')?.format;
  const first = openStore(folder, 1);
  t.equal(formatOf(first), 1);
  await first.close();
  const steps: number[] = [];
  const upgrades = [1, 2].map((from) => ({ from, run: () => void steps.push(from) }));
  const third = openStore(folder, 3, upgrades);
  t.same(steps, [1, 2]);
  t.equal(formatOf(third), 3);
  t.throws(() => openStore(folder, 2, upgrades), {
    name: 'StoreError',
    message: /has format 3, and this program knows 2/,
  });
  t.throws(() => openStore(folder, 4, upgrades), { name: 'StoreError', message: /no step leads from there/ });
  third.changes();
  t.equal(formatOf(third), 3, 'nothing was changed');
  await third.close();
});
