import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { CALL_SHARES } from '../../src/batch/callbacks.js';
import type { WebhookOutcome } from '../../src/batch/webhook/webhook-outcome.js';
import { findWorkspace } from '../../src/storage/folder/administration/rows.js';
import { createKey, createWorkspace, grantCredit } from '../support/access/folder-changes.js';
import { DAY_MS, lines, turns, until, World } from '../support/batch/world.js';

const ADDRESS = 'https://a.example/x?y';

async function finishedBatch(world: World) {
  const key = world.key();
  const id = await world.submit(key, lines('a', 2), { webhook: ADDRESS });
  await world.finished(key, id);
  await until(() => world.called.length > 0);
  await turns();
  return { key, id };
}

test('three attempts, half a minute and five minutes apart, and none after', async (t) => {
  const world = await World.start(t);
  world.webhook = async () => 'status_500';
  const { id } = await finishedBatch(world);
  t.strictSame(world.called, [{ address: ADDRESS, id, status: 'done' }]);
  await world.pass(29);
  t.equal(world.called.length, 1);
  await world.pass(2);
  await until(() => world.called.length === 2);
  await turns();
  await world.pass(298);
  t.equal(world.called.length, 2);
  await world.pass(3);
  await until(() => world.called.length === 3);
  await turns();
  await world.pass(2_000);
  t.equal(world.called.length, 3);
});

test('the outcome of every attempt is shown by the batch and reported', async (t) => {
  const world = await World.start(t);
  const outcomes: WebhookOutcome[] = ['timeout', 'status_404', 'delivered'];
  world.webhook = async () => outcomes[world.called.length - 1] as WebhookOutcome;
  const waiting = world.key();
  world.engine.room = 0;
  const unfinished = await world.submit(waiting, lines('b', 1), { webhook: ADDRESS });
  const none = { status: 'pending', attempts: 0, error: null };
  t.strictSame((await world.show(waiting, unfinished)).webhook_delivery, none);
  world.engine.room = 9;
  await world.batches.cancel(world.caller(waiting), unfinished);
  await until(() => world.called.length === 1);
  await turns();
  const shown = async () => (await world.show(waiting, unfinished)).webhook_delivery;
  t.strictSame(await shown(), { status: 'pending', attempts: 1, error: 'timeout' });
  await world.restart();
  t.strictSame(await shown(), { status: 'pending', attempts: 1, error: 'timeout' });
  await world.pass(31);
  await until(() => world.called.length === 2);
  await turns();
  t.strictSame(await shown(), { status: 'pending', attempts: 2, error: 'status_404' });
  await world.pass(301);
  await until(() => world.called.length === 3);
  await turns();
  t.strictSame(await shown(), { status: 'delivered', attempts: 3, error: null });
  t.strictSame(world.callsEnded, [
    [unfinished, 'timeout', true],
    [unfinished, 'status_404', true],
    [unfinished, 'delivered', false],
  ]);
});

test('the outcome is unknown if an earlier version made the last call', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finishedBatch(world);
  await world.access.flush();
  await world.restart();
  const batch = world.store.table('batches').get(id);
  if (batch === undefined) throw new Error('no batch');
  const { called: _, ...earlier } = batch;
  await world.store.write([world.store.table('batches').write([id], { ...earlier, called: undefined })]);
  await world.restart();
  t.equal((await world.show(key, id)).webhook_delivery, null);
});

test('a delivered webhook is not called again, not even after a restart', async (t) => {
  const world = await World.start(t);
  await finishedBatch(world);
  await world.pass(400);
  await world.restart();
  await world.pass(400);
  t.equal(world.called.length, 1);
});

test('attempts and waits continue where the last process ended', async (t) => {
  const world = await World.start(t);
  world.webhook = async () => 'status_500';
  await finishedBatch(world);
  await world.pass(10);
  await world.restart();
  await world.pass(19);
  t.equal(world.called.length, 1);
  await world.pass(3);
  await until(() => world.called.length === 2);
  await turns();
  await world.restart();
  await world.pass(310);
  await until(() => world.called.length === 3);
  await turns();
  await world.restart();
  await world.pass(400);
  t.equal(world.called.length, 3);
});

/** Batches of a key that finish, each with an address that is called. */
async function finish(world: World, key: { readonly id: string }, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = await world.submit(key, lines(`a${n}`, 1), { webhook: ADDRESS });
    await world.finished(key, id);
    ids.push(id);
  }
  await world.access.flush();
  await turns();
  return ids;
}

/** A key of a workspace that has credit. */
function keyOf({ store, clock }: World, workspace: string) {
  if (findWorkspace(store, workspace) === undefined) {
    createWorkspace(store, clock, workspace);
    grantCredit(store, clock, workspace, 10n ** 15n);
  }
  return createKey(store, clock, workspace, null).key;
}

/** Receivers that answer when the test says so. */
function tarpit(world: World) {
  const ends: Array<(outcome: WebhookOutcome) => void> = [];
  world.webhook = () => new Promise((resolve) => ends.push(resolve));
  return {
    endAll: (outcome: WebhookOutcome = 'delivered') => {
      for (const end of ends.splice(0)) end(outcome);
    },
    end: () => ends.shift()?.('delivered'),
  };
}

test('concurrent calls of a key are limited, and its slow receivers delay no other key', async (t) => {
  const world = await World.start(t);
  const pit = tarpit(world);
  const [bad, good] = [world.key(), world.key()];
  const stuck = await finish(world, bad, CALL_SHARES.key + 3);
  t.equal(world.called.length, CALL_SHARES.key, 'its share, and not one more');
  const [other] = await finish(world, good, 1);
  t.equal(world.called.at(-1)?.id, other, 'called at once');
  t.equal(world.called.length, CALL_SHARES.key + 1);
  pit.end();
  await until(() => world.called.length === CALL_SHARES.key + 2);
  t.ok(stuck.includes(world.called.at(-1)?.id ?? ''), 'a place that is free goes to one of the same key');
  pit.endAll();
  await until(() => world.called.length === stuck.length + 1);
  pit.endAll();
  t.equal(new Set(world.called.map(({ id }) => id)).size, stuck.length + 1);
});

test('concurrent calls of a workspace are limited', async (t) => {
  const world = await World.start(t);
  const pit = tarpit(world);
  const keys = Array.from({ length: CALL_SHARES.workspace / CALL_SHARES.key + 1 }, () => world.key());
  for (const key of keys) await finish(world, key, CALL_SHARES.key);
  t.equal(world.called.length, CALL_SHARES.workspace);
  const [id] = await finish(world, keyOf(world, 'v'), 1);
  t.equal(world.called.at(-1)?.id, id);
  pit.endAll();
  await until(() => world.called.length === keys.length * CALL_SHARES.key + 1);
  pit.endAll();
});

test('concurrent calls are limited in total', async (t) => {
  const world = await World.start(t);
  const pit = tarpit(world);
  const spaces = Array.from({ length: CALL_SHARES.all / CALL_SHARES.workspace }, (_, at) => `w${at}`);
  for (const space of spaces) {
    for (let at = 0; at < CALL_SHARES.workspace / CALL_SHARES.key; at += 1) {
      await finish(world, keyOf(world, space), CALL_SHARES.key);
    }
  }
  t.equal(world.called.length, CALL_SHARES.all);
  await finish(world, keyOf(world, 'last'), 1);
  t.equal(world.called.length, CALL_SHARES.all, 'and not one more');
  pit.end();
  await until(() => world.called.length === CALL_SHARES.all + 1);
  pit.endAll();
});

test('keys take turns when a call ends', async (t) => {
  const world = await World.start(t);
  const pit = tarpit(world);
  const [one, other] = [world.key(), world.key()];
  const blockers = [world.key(), world.key()];
  for (const key of blockers) await finish(world, key, CALL_SHARES.workspace / blockers.length);
  const before = world.called.length;
  t.equal(before, CALL_SHARES.workspace, 'no place is free');
  const first = await finish(world, one, 3);
  const [late] = await finish(world, other, 1);
  pit.end();
  await until(() => world.called.length === before + 1);
  pit.end();
  await until(() => world.called.length === before + 2);
  t.strictSame(
    world.called.slice(before).map(({ id }) => id),
    [first[0], late],
  );
  pit.endAll();
  await until(() => world.called.length === before + 4);
  pit.endAll();
});

test('a stored time far in the future, from a wrong clock, does not delay a call beyond the longest wait', async (t) => {
  const world = await World.start(t);
  world.webhook = async () => 'status_500';
  await finishedBatch(world);
  await world.access.flush();
  world.clock.set(world.clock.now() - 40 * DAY_MS);
  await world.restart();
  await world.pass(361);
  await until(() => world.called.length >= 2);
  t.ok(world.called.length >= 2, 'it is called although its time is in 40 days');
});

test('an address that cannot be decrypted counts as three failed attempts', async (t) => {
  const world = await World.start(t);
  const key = world.key();
  world.engine.room = 0;
  const id = await world.submit(key, lines('a', 1), { webhook: ADDRESS });
  await world.store.write([world.store.table('batch_webhooks').write([id], Buffer.alloc(60))]);
  world.engine.room = 9;
  await world.pass(3);
  await world.finished(key, id);
  await until(() => world.troubles.length === 1);
  // The next attempt is due only once the outcome of the last one is stored.
  for (let waits = 0; world.troubles.length < LIMITS.webhookAttempts && waits < 20; waits += 1) {
    await turns();
    await world.pass(361);
  }
  await turns();
  await world.pass(2_000);
  await world.restart();
  await world.pass(400);
  t.match(world.troubles, Array(LIMITS.webhookAttempts).fill(/batch_webhooks is damaged/));
  t.equal(world.troubles.length, LIMITS.webhookAttempts);
  t.strictSame(world.called, []);
});
