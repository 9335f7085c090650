import { test } from 'tap';
import type { Kind } from '../../src/access/index.js';
import type { Store } from '../../src/storage/folder/index.js';
import { FolderAccess } from '../../src/storage/folder/ledger/folder-access.js';
import type { RawWrite } from '../../src/storage/folder/lmdb/writes.js';
import { createKey } from '../support/access/folder-changes.js';
import { dealings, NOON, opened } from '../support/access/opened.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

test('the last days, today included: the first and the last instant of the range, and none beyond', async (t) => {
  const { access, caller, clock, reserve, workspace } = opened(t, Date.parse('2028-02-27T00:00:00.000Z') - 1);
  const { token } = workspace('acme', 1_000_000n);
  const days = async () =>
    (await access.usage(caller(token), 3)).rows.map(({ day, inputTokens }) => [day, inputTokens]);
  reserve(token, 1).post();
  clock.advance(1);
  reserve(token, 2).post();
  await access.flush();
  clock.set(Date.parse('2028-02-29T23:59:59.999Z'));
  reserve(token, 4).post();
  t.strictSame(await days(), [
    ['2028-02-27', 2],
    ['2028-02-29', 4],
  ]);
  const { from, to } = await access.usage(caller(token), 3);
  t.strictSame([from, to], ['2028-02-27', '2028-02-29']);
  clock.advance(1);
  t.strictSame(await days(), [['2028-02-29', 4]]);
  t.strictSame(await access.usage(caller(token), 1), { from: '2028-03-01', to: '2028-03-01', rows: [] });
});

test('a charge is in the usage at once: before its write, during it, after it failed, and after a restart', async (t) => {
  const { clock, store } = opened(t);
  const disk = { full: false, release: () => {} };
  const above = Object.create(store) as Store;
  above.write = async (writes: readonly RawWrite[]) => {
    await new Promise<void>((resolve) => {
      disk.release = resolve;
    });
    if (disk.full) throw new Error('The disk is full.');
    await store.write(writes);
  };
  const access = new FolderAccess(above, clock, () => {});
  const { caller, reserve, workspace } = dealings(store, clock, access);
  const { token } = workspace('acme', 1_000_000n);
  const tokens = async () =>
    (await access.usage(caller(token), 1)).rows.map(({ inputTokens }) => inputTokens);
  reserve(token, 1).post();
  t.strictSame(await tokens(), [1]);
  disk.full = true;
  const failed = access.flush();
  t.strictSame(await tokens(), [1]);
  reserve(token, 2).post();
  t.strictSame(await tokens(), [3]);
  disk.release();
  await t.rejects(failed);
  t.strictSame(await tokens(), [3]);
  disk.full = false;
  const written = access.flush();
  await new Promise(setImmediate);
  disk.release();
  await written;
  t.strictSame(await tokens(), [3]);
  // Counters of other days leave the memory.
  clock.advance(DAY_MS);
  reserve(token, 4).post();
  const next = access.flush();
  disk.release();
  await next;
  for (const each of [access, new FolderAccess(store, clock, () => {})]) {
    const { rows } = await each.usage(caller(token), 2);
    t.strictSame(
      rows.map(({ inputTokens }) => inputTokens),
      [3, 4],
    );
  }
});

test('a row per day, model and kind in this order; prices are summed', async (t) => {
  const { access, caller, clock, workspace } = opened(t);
  const { key, token } = workspace('acme', 10n ** 12n);
  const charge = (model: string, kind: Kind, inputTokens: number, price: bigint) =>
    access.reserve(caller(token), { model, kind, inputTokens, price }).post();
  charge('b', 'live', 1, 3n);
  charge('a', 'live', 10, 3n);
  await access.flush();
  charge('a', 'live', 100, 5n);
  charge('a', 'batch', 1_000, 1n);
  clock.advance(DAY_MS);
  charge('a', 'batch', 10_000, 0n);
  const row = { workspace: 'acme', key: key.id };
  t.strictSame((await access.usage(caller(token), 2)).rows, [
    {
      ...row,
      day: '2026-06-15',
      model: 'a',
      kind: 'batch',
      requests: 1,
      inputTokens: 1_000,
      amount: 1_000n,
    },
    { ...row, day: '2026-06-15', model: 'a', kind: 'live', requests: 2, inputTokens: 110, amount: 530n },
    { ...row, day: '2026-06-15', model: 'b', kind: 'live', requests: 1, inputTokens: 1, amount: 3n },
    { ...row, day: '2026-06-16', model: 'a', kind: 'batch', requests: 1, inputTokens: 10_000, amount: 0n },
  ]);
});

test('the rows of other keys are neither shown nor read, however many there are', async (t) => {
  const { access, caller, clock, reserve, store, workspace } = opened(t, NOON);
  const { token } = workspace('acme', 1_000_000n);
  reserve(token, 1).post();
  reserve(createKey(store, clock, 'acme').token, 2).post();
  reserve(workspace('acme-2', 1_000n).token, 4).post();
  await access.flush();
  // A damaged row that is read throws.
  for (const id of ['key_', 'key_0', 'key_zzzzzzzzzzzzzzzzzzzzzzz']) {
    const damaged = store.table('usage').key('acme', '2026-06-15', id, 'm', 'live', '1');
    await store.write([{ table: 'usage', key: damaged, value: Buffer.from('{') }]);
  }
  const { rows } = await new FolderAccess(store, clock, () => {}).usage(caller(token), 92);
  t.strictSame(
    rows.map(({ inputTokens }) => inputTokens),
    [1],
  );
});

test('a charge that is written while the usage is read is counted once', async (t) => {
  const { access, caller, clock, reserve, workspace } = opened(t);
  const { token } = workspace('acme', 1_000_000n);
  reserve(token, 1).post();
  clock.advance(DAY_MS);
  reserve(token, 2).post();
  const reading = access.usage(caller(token), 92);
  // The counter of the day before leaves the memory with this write.
  await access.flush();
  const { rows } = await reading;
  t.strictSame(
    rows.map(({ inputTokens }) => inputTokens),
    [1, 2],
  );
});
