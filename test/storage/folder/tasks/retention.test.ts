import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { DAY_MS } from '../../../../src/base/index.js';
import { openStore, Sealer } from '../../../../src/storage/folder/index.js';
import { FolderRetention } from '../../../../src/storage/folder/tasks/retention.js';
import { RETENTION_DOUBT_MS } from '../../../../src/tasks/index.js';
import { dataFolder } from '../../../support/data-folder.js';
import { fakeClock } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';

test('an answer that is labelled again while old labels are removed keeps its labels', async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const sealer = new Sealer(store, '');
  const clock = fakeClock(Date.parse('2026-05-10'));
  t.ok(clock.certainFor() >= RETENTION_DOUBT_MS);
  const table = store.table('task_labels');
  const write = (ref: string, at: number) =>
    table.write(['task_a', ref], { ref, at, version: 1, build: 'm', sealed: 'eA==', expected: 'eA==' });
  const [old, again] = ['0'.repeat(32), '1'.repeat(32)] as const;
  const before = clock.now() - 2 * DAY_MS;
  await store.write([
    sealer.keyWrite('task_a', randomBytes(32)),
    ...[old, again].map((ref) => write(ref, before)),
  ]);
  const retention = new FolderRetention({
    store,
    sealer,
    access: { flush: async () => {} },
    clock,
    bounds: { answersOfTask: 1, maxAnswers: () => 1, retentionDays: () => 1 },
    onRemoved() {},
    async afterOthers(work) {
      // The change that the removal has to wait for.
      await store.write([write(again, clock.now())]);
      await work();
    },
    onError: (error) => {
      throw error;
    },
  });
  retention.start();
  await until(() => clock.timers() > 0);
  await retention.stop();
  t.strictSame(
    [...table.keys('task_a')].map(([, ref]) => ref),
    [again],
  );
});
