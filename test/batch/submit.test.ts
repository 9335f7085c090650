import { createHash, randomBytes } from 'node:crypto';
import { test } from 'tap';
import type { Caller } from '../../src/access/index.js';
import { Blocks } from '../../src/batch/ingest/blocks.js';
import { LOOKUP_SHARES, type Submission, Submitter } from '../../src/batch/submit.js';
import { Sealer } from '../../src/storage/folder/index.js';
import { encryptDataKeys } from '../../src/storage/folder/master-key/encrypt-data-keys.js';
import { revokeKey } from '../support/access/folder-changes.js';
import { DAY_MS, line, lines, reason, turns, until, World } from '../support/batch/world.js';

test('ten batches may be open, even if eleven are submitted at once; one that finishes makes room', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const all = await Promise.all(
    Array.from({ length: 11 }, (_, at) => reason(world.submit(key, lines(`a${at}`, 1)))),
  );
  const refused = all.filter((each) => each !== undefined);
  t.equal(refused.length, 1);
  t.match(refused[0], { type: 'too_many_batches', status: 429, headers: { retryAfterSeconds: 300 } });
  t.equal(await reason(world.submit(world.key(), line('other'))), undefined, 'another key');
  t.match(await reason(world.submit(key, line('more'))), { type: 'too_many_batches' });
  world.engine.answerAll();
  await until(() => world.batches.openCount === 0);
  t.equal(await reason(world.submit(key, line('more'))), undefined);
});

test('the same key and body within a day is the same batch; another body is a conflict', async (t) => {
  const world = await World.start(t);
  const [key, other] = [world.key(), world.key()];
  const once = { idempotencyKey: 'k' };
  const [a, b] = await Promise.all([
    world.submit(key, lines('a', 2), once),
    world.submit(key, lines('a', 2), once),
  ]);
  t.equal(a, b);
  t.match(await reason(world.submit(key, lines('a', 3), once)), {
    type: 'idempotency_conflict',
    status: 409,
  });
  t.not(await world.submit(other, lines('a', 2), once), a, 'another key');
  t.not(await world.submit(key, lines('a', 2), { idempotencyKey: 'l' }), a);
  await world.restart();
  world.clock.advance(DAY_MS - 1);
  t.equal(await world.submit(key, lines('a', 2), once), a);
  world.clock.advance(1);
  t.not(await world.submit(key, lines('a', 2), once), a, 'a day later');
});

test('what is stored of a submission tells nothing of the file without its idempotency key', async (t) => {
  const world = await World.start(t);
  const [key, other] = [world.key(), world.key()];
  const file = lines('a', 2);
  await world.submit(key, file, { idempotencyKey: 'k' });
  await world.submit(other, file, { idempotencyKey: 'l' });
  const stored = [...world.store.table('submissions').entries()].map(({ value }) => value.body);
  t.equal(new Set(stored).size, 2, 'not even that two files are equal');
  t.notOk(stored.includes(createHash('sha256').update(file).digest('hex')));
});

test('a submission that an earlier version stored is recognized', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const file = lines('a', 2);
  const once = { idempotencyKey: 'k' };
  const batch = await world.submit(key, file, once);
  const table = world.store.table('submissions');
  const [entry] = table.entries();
  if (entry === undefined) throw new Error('no entry');
  const body = createHash('sha256').update(file).digest('hex');
  await world.store.write([table.write(entry.key, { ...entry.value, body })]);
  t.equal(await world.submit(key, file, once), batch);
  t.match(await reason(world.submit(key, lines('a', 3), once)), { type: 'idempotency_conflict' });
});

test('a refused submission may be repeated with the same idempotency key', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  t.match(await reason(world.submit(key, '{', { idempotencyKey: 'k' })), { type: 'invalid_batch' });
  t.equal(await reason(world.submit(key, line('a'), { idempotencyKey: 'k' })), undefined);
});

test('a key that is revoked while its file is checked creates no batch', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const submitted = reason(world.submit(key, line('a')));
  revokeKey(world.store, world.clock, key.id);
  t.match(await submitted, { type: 'unauthorized', status: 401 });
  t.equal([...world.store.table('batches').entries()].length, 0);
  t.equal([...world.store.table('data_keys').entries()].length, 0);
});

test('a client that left while its file was read: no batch, and the memory of the file is free', async (t) => {
  const blocks = new Blocks();
  const [block] = [blocks.take(), blocks.take()];
  const client = new AbortController();
  const ingest = async () => {
    client.abort('gone');
    return { ok: true, lines: 1, chunks: [], block, models: [] };
  };
  const create = () => t.fail('a batch is made');
  const access = { holder: () => undefined, pause: () => null };
  const parts = { access, batches: { checkRoom: () => {}, create }, files: { ingest } };
  const submitter = new Submitter(parts as unknown as ConstructorParameters<typeof Submitter>[0]);
  const caller = { key: { id: 'k' }, workspace: { id: 'w', models: null } } as unknown as Caller;
  const sent = { file: Buffer.from(''), webhook: null, idempotencyKey: null, signal: client.signal };
  t.equal(await reason(submitter.submit(caller, sent as unknown as Submission)), 'gone');
  t.equal(blocks.take(), block);
});

test('the batches of a key are listed oldest first, also after a restart', async (t) => {
  const world = await World.start(t);
  const [key, other] = [world.key(), world.key()];
  const ids: string[] = [];
  for (let at = 0; at < 12; at += 1) {
    ids.push(await world.submit(key, line(`a${at}`)));
    await world.finished(key, ids.at(-1) as string);
    await world.submit(other, line(`b${at}`));
    await until(() => world.batches.openCount === 0);
    if (at === 5) await world.restart();
  }
  const { data } = await world.list(key);
  t.strictSame(
    data.map(({ id }) => id),
    ids,
  );
});

test('slow DNS lookups of a key do not block another key', async (t) => {
  const world = await World.start(t);
  const slow: Array<() => void> = [];
  world.checkWebhook = (address) =>
    address.includes('slow') ? new Promise((resolve) => slow.push(resolve)) : Promise.resolve();
  const [bad, good] = [world.key(), world.key()];
  const submit = (key: typeof bad, host: string) =>
    world.submit(key, line('a'), { webhook: `https://${host}.example/` });
  const stuck = Array.from({ length: LOOKUP_SHARES.key }, () => submit(bad, 'slow'));
  await turns();
  t.equal(slow.length, LOOKUP_SHARES.key);
  t.match(await reason(submit(bad, 'slow')), { type: 'overloaded', status: 503 }, 'one more than its share');
  t.match(await submit(good, 'quick'), /^batch_/);
  const others = Array.from({ length: LOOKUP_SHARES.workspace / LOOKUP_SHARES.key - 1 }, () => world.key());
  for (const key of others) {
    for (let count = 0; count < LOOKUP_SHARES.key; count += 1) stuck.push(submit(key, 'slow'));
  }
  await turns();
  t.match(await reason(submit(good, 'quick')), { type: 'overloaded' }, 'all of the workspace');
  for (const resolve of slow) resolve();
  await Promise.all(stuck);
  t.match(await submit(good, 'quick'), /^batch_/, 'places are given back');
});

test('a submission during a change of the master key waits, and opens with the new key; earlier batches are read meanwhile', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  const earlier = await world.submit(key, lines('a', 2));
  const { sealer, store } = world;
  const next = randomBytes(32);
  const dataKey = sealer.dataKey(earlier);
  let submitted: Promise<string> | undefined;
  let isStored = false;
  await sealer.changeMaster(next, async (old) => {
    t.strictSame(sealer.dataKey(earlier), dataKey, 'before the transaction');
    submitted = world.submit(key, lines('b', 2)).finally(() => {
      isStored = true;
    });
    await turns(200);
    const count = encryptDataKeys(store, old, next);
    store.refresh();
    t.strictSame(sealer.dataKey(earlier), dataKey, 'after the transaction');
    await turns(200);
    t.notOk(isStored);
    return count;
  });
  const later = (await submitted) as string;
  const reopened = new Sealer(store, next.toString('hex'));
  for (const id of [earlier, later]) t.strictSame(reopened.dataKey(id), sealer.dataKey(id));
  for (const id of [earlier, later]) {
    await world.finished(key, id);
    t.equal((await world.collect(key, id)).length, 2);
  }
});
