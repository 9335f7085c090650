import { type Test, test } from 'tap';
import { StoreError } from '../../../../src/base/index.js';
import { balanceOf } from '../../../../src/storage/folder/administration/reports.js';
import { getWorkspace } from '../../../../src/storage/folder/administration/rows.js';
import { reconcile, type Store } from '../../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../../src/storage/folder/ledger/folder-access.js';
import {
  FLUSH_DELAY_MS,
  FLUSH_RETRY_MS,
  UNWRITTEN_MS_MAX,
} from '../../../../src/storage/folder/ledger/ledger.js';
import type { RawWrite } from '../../../../src/storage/folder/lmdb/writes.js';
import { dealings, NOON, opened, thrown } from '../../../support/access/opened.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A ledger above a disk that takes what the test lets it take. */
function onDisk(t: Test) {
  const { store, clock } = opened(t);
  const disk = { full: false, held: [] as Array<() => void>, hold: false, writes: 0, writing: 0 };
  const above = Object.create(store) as Store;
  const write = async (writes: readonly RawWrite[]) => {
    if (disk.hold) await new Promise<void>((resolve) => disk.held.push(resolve));
    if (disk.full) throw new StoreError('The data folder is full.');
    await store.write(writes);
  };
  above.write = (writes) => {
    disk.writes += 1;
    disk.writing += 1;
    return write(writes).finally(() => {
      disk.writing -= 1;
    });
  };
  const troubles: unknown[] = [];
  const access = new FolderAccess(above, clock, (error) => troubles.push(error));
  const { workspace, reserve } = dealings(store, clock, access);
  const { token } = workspace('acme', 1_000_000n);
  const charged = () => {
    store.refresh();
    return balanceOf(store, getWorkspace(store, 'acme'), clock.now()).charged;
  };
  /** Lets all that can happen without time happen: writes too, but those that are held. */
  const settled = async () => {
    do await new Promise(setImmediate);
    while (disk.writing > disk.held.length);
  };
  return {
    store,
    clock,
    disk,
    settled,
    troubles,
    access,
    charged,
    reserve: (tokens: number) => reserve(token, tokens),
  };
}

test('charges are written together, FLUSH_DELAY_MS after the first of them', async (t) => {
  const { charged, clock, disk, reserve, settled, store } = onDisk(t);
  reserve(1).post();
  clock.advance(FLUSH_DELAY_MS - 1);
  reserve(2).post();
  await settled();
  t.equal(charged(), 0n);
  t.equal(disk.writes, 0);
  clock.advance(1);
  await settled();
  t.equal(charged(), 3n);
  clock.advance(UNWRITTEN_MS_MAX);
  await settled();
  t.equal(disk.writes, 1, 'nothing is written where nothing was charged');
  reserve(4).release();
  clock.advance(UNWRITTEN_MS_MAX);
  t.equal(disk.writes, 1, 'a request without an answer writes nothing');
  t.strictSame(reconcile(store).problems, []);
});

test('a charge made during a write is in the next write', async (t) => {
  const { access, charged, clock, disk, reserve, store } = onDisk(t);
  disk.hold = true;
  reserve(1).post();
  clock.advance(FLUSH_DELAY_MS);
  reserve(2).post();
  reserve(4).post();
  clock.advance(FLUSH_DELAY_MS);
  t.equal(disk.writes, 1, 'one at a time');
  disk.hold = false;
  disk.held.shift()?.();
  await access.flush();
  t.equal(disk.writes, 2);
  t.equal(charged(), 7n);
  t.strictSame(reconcile(store).problems, []);
});

test('when a flush resolves, all earlier charges are on the disk', async (t) => {
  const { access, charged, disk, reserve, store } = onDisk(t);
  await access.flush();
  t.equal(disk.writes, 0);
  reserve(1).post();
  const first = access.flush();
  reserve(2).post();
  const all = [access.flush(), access.flush(), access.flush()];
  await first;
  t.ok(charged() >= 1n);
  await Promise.all(all);
  t.equal(charged(), 3n);
  t.equal(disk.writes, 2);
  t.strictSame(reconcile(store).problems, []);
});

test('failed writes are reported each time and retried every second, and nothing is lost or counted twice', async (t) => {
  const { charged, clock, disk, reserve, settled, store, troubles } = onDisk(t);
  disk.full = true;
  reserve(1).post();
  clock.advance(FLUSH_DELAY_MS);
  await settled();
  t.match(troubles, [{ name: 'StoreError', message: 'The data folder is full.' }]);
  for (let attempt = 2; attempt <= 4; attempt += 1) {
    reserve(10).post();
    clock.advance(FLUSH_RETRY_MS - 1);
    await settled();
    t.equal(troubles.length, attempt - 1);
    clock.advance(1);
    await settled();
    t.equal(troubles.length, attempt);
  }
  t.equal(charged(), 0n);
  disk.full = false;
  clock.advance(FLUSH_RETRY_MS);
  await settled();
  t.equal(charged(), 31n);
  reserve(100).post();
  clock.advance(FLUSH_DELAY_MS);
  await settled();
  t.equal(charged(), 131n, 'and it is as quick as before');
  t.equal(troubles.length, 4);
  t.strictSame(reconcile(store).problems, []);
});

for (const [how, hinder] of [
  ['fails', (disk: { full: boolean }) => Object.assign(disk, { full: true })],
  ['hangs', (disk: { hold: boolean }) => Object.assign(disk, { hold: true })],
] as const) {
  test(`a disk that ${how}: requests are accepted for UNWRITTEN_MS_MAX, then refused, then accepted again`, async (t) => {
    const { access, charged, clock, disk, reserve, settled, store } = onDisk(t);
    hinder(disk);
    reserve(1).post();
    const under = reserve(2);
    for (let ms = 0; ms < UNWRITTEN_MS_MAX; ms += FLUSH_DELAY_MS) {
      clock.advance(FLUSH_DELAY_MS);
      await settled();
    }
    reserve(4).post();
    t.ok(access.canServe);
    clock.advance(1);
    await settled();
    t.notOk(access.canServe);
    t.throws(() => reserve(8), {
      type: 'overloaded',
      message: 'The server cannot write charges to its data folder.',
      headers: { retryAfterSeconds: 1 },
    });
    under.post();
    Object.assign(disk, { full: false, hold: false });
    for (const release of disk.held.splice(0)) release();
    await settled();
    clock.advance(FLUSH_RETRY_MS);
    await settled();
    clock.advance(FLUSH_DELAY_MS);
    await settled();
    t.equal(charged(), 7n, 'what was answered meanwhile is charged');
    t.ok(access.canServe);
    t.equal(
      thrown(() => reserve(8).post()),
      null,
    );
    t.strictSame(reconcile(store).problems, []);
  });
}

for (const [when, hinder] of [
  ['waits', () => {}],
  ['is being written', (disk: { hold: boolean }) => Object.assign(disk, { hold: true })],
] as const) {
  test(`SIGCONT after a stop: a charge that ${when} meanwhile does not cause refusals`, async (t) => {
    const { clock, disk, reserve, settled } = onDisk(t);
    hinder(disk);
    reserve(1).post();
    if (disk.hold) {
      clock.advance(FLUSH_DELAY_MS);
      await settled();
    }
    // Whoever asks is heard before the timers that are overdue.
    clock.pass(10 * UNWRITTEN_MS_MAX);
    t.equal(
      thrown(() => reserve(2).post()),
      null,
    );
    clock.advance(1);
    await settled();
    t.equal(
      thrown(() => reserve(4).post()),
      null,
    );
    for (const release of disk.held.splice(0)) release();
  });
}

test('a failed flush rejects, and the next one writes its charges', async (t) => {
  const { access, charged, disk, reserve, store } = onDisk(t);
  disk.full = true;
  reserve(1).post();
  await t.rejects(access.flush(), { name: 'StoreError' });
  await t.rejects(access.flush(), { name: 'StoreError' });
  disk.full = false;
  await access.flush();
  t.equal(charged(), 1n);
  t.strictSame(reconcile(store).problems, []);
});

test('a counter survives a day that ends during a write', async (t) => {
  const { access, charged, clock, disk, reserve, settled, store } = onDisk(t);
  disk.hold = true;
  reserve(1).post();
  clock.advance(FLUSH_DELAY_MS);
  reserve(2).post();
  clock.set(NOON + DAY_MS);
  disk.hold = false;
  disk.held.shift()?.();
  await settled();
  // Set back to the day of the charge that is still unwritten.
  clock.set(NOON);
  reserve(4).post();
  await access.flush();
  t.equal(charged(), 7n);
  t.strictSame(reconcile(store).problems, []);
});

test('a flush that waits for a failing one writes its charges', async (t) => {
  const { access, charged, clock, disk, reserve, settled, store } = onDisk(t);
  Object.assign(disk, { full: true, hold: true });
  reserve(1).post();
  clock.advance(FLUSH_DELAY_MS);
  const flushed = access.flush();
  disk.held.shift()?.();
  await settled();
  Object.assign(disk, { full: false, hold: false });
  disk.held.shift()?.();
  await flushed;
  t.equal(charged(), 1n);
  t.strictSame(reconcile(store).problems, []);
});
