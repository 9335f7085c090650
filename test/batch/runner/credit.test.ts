import { type Test, test } from 'tap';
import { ApiError } from '../../../src/api/index.js';
import type { OpenBatch } from '../../../src/batch/index.js';
import { balanceOf } from '../../../src/storage/folder/administration/reports.js';
import { getWorkspace } from '../../../src/storage/folder/administration/rows.js';
import { reconcile } from '../../../src/storage/folder/index.js';
import { changeWorkspace, grantCredit, revokeKey } from '../../support/access/folder-changes.js';
import { thrown } from '../../support/access/opened.js';
import { tokensOf } from '../../support/batch/test-engine.js';
import { DAY_MS, line, PRICE, SECOND_MS, turns, World } from '../../support/batch/world.js';

/** Lines that cost the same: `a000`, `a001` and so on. */
const equalLines = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => line(`${name}${String(at).padStart(3, '0')}`)).join('\n');
const LINE_COST = BigInt(tokensOf('a000')) * PRICE;

/** A world whose engine answers when it is told to. */
async function start(t: Test): Promise<World> {
  const world = await World.start(t);
  world.engine.answersAtOnce = false;
  return world;
}

/** Answers lines until none can start. */
async function drain(world: World): Promise<void> {
  for (;;) {
    await world.pass(2);
    if (world.engine.waiting.size === 0) return;
    world.engine.answerAll();
  }
}

async function balanceIs(t: Test, world: World, workspace: string, expected: bigint): Promise<void> {
  await world.access.flush();
  t.strictSame(reconcile(world.store).problems, []);
  const { balance } = balanceOf(world.store, getWorkspace(world.store, workspace), world.clock.now());
  t.equal(balance, expected, `balance of ${workspace}`);
}

/** Reserves what a live request of so many tokens costs at the price of a batch line. */
const reserveLive = (world: World, key: { readonly id: string }, inputTokens: number) =>
  world.access.reserve(world.caller(key), { model: 'm', kind: 'live', inputTokens, price: PRICE });

for (const [count, room] of [
  [1, 64],
  [7, 64],
  [100, 64],
  [100, 3],
] as const) {
  test(`credit for exactly ${count} lines of three batches and two keys answers ${count}, ${room} at a time`, async (t) => {
    const world = await start(t);
    const workspace = world.workspace('exact', BigInt(count) * LINE_COST);
    const [one, two] = [world.key(null, workspace), world.key(null, workspace)];
    world.engine.room = room;
    const batches = [
      { key: one, id: await world.submit(one, equalLines('a', 60)) },
      { key: one, id: await world.submit(one, equalLines('b', 60)) },
      { key: two, id: await world.submit(two, equalLines('c', 60)) },
    ];
    const done = () => batches.reduce((sum, { key, id }) => sum + world.show(key, id).counts.done, 0);
    await drain(world);
    t.equal(done(), count);
    t.equal(world.engine.started.length, count, 'no other line reaches the engine');
    await balanceIs(t, world, workspace, 0n);

    grantCredit(world.store, world.clock, workspace, 5n * LINE_COST);
    await drain(world);
    t.equal(done(), count + 5, 'credit for five more');
    grantCredit(world.store, world.clock, workspace, LINE_COST - 1n);
    await drain(world);
    t.equal(done(), count + 5, 'one unit less than the next line costs');
    await balanceIs(t, world, workspace, LINE_COST - 1n);
    grantCredit(world.store, world.clock, workspace, 1n);
    await drain(world);
    t.equal(done(), count + 6);

    grantCredit(world.store, world.clock, workspace, 1_000n * LINE_COST);
    await drain(world);
    for (const { key, id } of batches) {
      t.match(world.show(key, id), { status: 'done', counts: { done: 60, failed: 0 } });
    }
    t.equal(new Set(world.engine.started).size, 180);
    t.equal(world.engine.started.length, 180, 'each line ran once');
    await balanceIs(t, world, workspace, BigInt(count + 1_006 - 180) * LINE_COST);
    t.strictSame(world.troubles, []);
  });
}

test('a monthly budget for exactly N lines answers N; the next month answers N more', async (t) => {
  const world = await start(t);
  const passUntil = (text: string) => world.clock.advance(Date.parse(text) - world.clock.now());
  passUntil('2026-05-31T23:00:00Z');
  const workspace = world.workspace('budget', 1_000n * LINE_COST);
  changeWorkspace(world.store, world.clock, workspace, { budget: 9n * LINE_COST });
  const key = world.key(null, workspace);
  const id = await world.submit(key, equalLines('a', 40));
  await drain(world);
  t.match(world.show(key, id), { status: 'running', counts: { done: 9, failed: 0, pending: 31 } });
  passUntil('2026-06-01T00:00:00Z');
  await drain(world);
  t.match(world.show(key, id), { counts: { done: 18 } });
  changeWorkspace(world.store, world.clock, workspace, { budget: 12n * LINE_COST });
  await drain(world);
  t.match(world.show(key, id), { counts: { done: 21 } });
  changeWorkspace(world.store, world.clock, workspace, { budget: null });
  await drain(world);
  t.match(world.show(key, id), { status: 'done', counts: { done: 40, failed: 0 } });
  await balanceIs(t, world, workspace, 960n * LINE_COST);
});

test('live requests and lines in progress share the credit', async (t) => {
  const world = await start(t);
  const workspace = world.workspace('shared', 10n * LINE_COST);
  const key = world.key(null, workspace);
  const tokens = tokensOf('a000');
  const held = [1, 2, 3, 4].map(() => reserveLive(world, key, tokens));
  const id = await world.submit(key, equalLines('a', 40));
  await turns();
  t.equal(world.engine.waiting.size, 6, 'what live requests hold is not for lines');
  t.equal(
    thrown(() => reserveLive(world, key, 1)),
    'out_of_credit',
    'nor the other way round',
  );
  held.pop()?.release();
  await world.pass(1);
  t.equal(world.engine.waiting.size, 7, 'what a live request gives back is');
  for (const each of held) each.post();
  await drain(world);
  t.match(world.show(key, id), { counts: { done: 7 } });
  await balanceIs(t, world, workspace, 0n);
});

test('the reservation of a line is released when it fails, is refused, or is dropped by a stop', async (t) => {
  const world = await start(t);
  const workspace = world.workspace('returned', 3n * LINE_COST);
  const key = world.key(null, workspace);
  const id = await world.submit(key, equalLines('a', 5));
  await turns();
  t.strictSame([...world.engine.waiting.keys()], ['a000', 'a001', 'a002']);
  world.engine.fail('a000', new ApiError('invalid_question', 'No.'));
  await turns();
  t.ok(world.engine.waiting.has('a003'), 'at once for the next line of the key');
  for (let tries = 1; tries < 5; tries += 1) {
    world.engine.fail('a001', new ApiError('overloaded', 'Not now.'));
    await turns();
    if (tries === 1) {
      t.ok(world.engine.waiting.has('a004'), 'while a line waits for its next try, another has its credit');
      world.engine.fail('a004', new ApiError('invalid_question', 'No.'));
    }
    await world.pass(10);
  }
  t.match(world.show(key, id).counts, { done: 0, failed: 2, pending: 3 });
  await world.restart();
  await world.pass(1);
  world.engine.answersAtOnce = true;
  await world.pass(20);
  const { counts } = world.show(key, id);
  t.strictSame(counts, { done: 3, failed: 2, pending: 0 });
  await balanceIs(t, world, workspace, 0n);
});

for (const how of ['cancel', 'expiry', 'revoked'] as const) {
  test(`${how}: lines in progress are charged, a line that waits for credit is not, and nothing stays reserved`, async (t) => {
    const world = await start(t);
    const workspace = world.workspace('ended', 2n * LINE_COST);
    const [key, other] = [world.key(null, workspace), world.key(null, workspace)];
    const id = await world.submit(key, equalLines('a', 5), { webhook: 'https://a.example/' });
    await world.pass(1);
    t.equal(world.engine.waiting.size, 2);
    if (how === 'cancel') await world.batches.cancel(world.caller(key), id);
    else if (how === 'revoked') revokeKey(world.store, world.clock, key.id);
    else world.clock.advance(DAY_MS);
    await world.pass(1);
    world.engine.answer('a000');
    world.engine.fail('a001', new ApiError('invalid_question', 'No.'));
    await world.pass(1);
    t.match(world.show(key, id).counts, { done: 1, failed: 4, pending: 0 });
    await balanceIs(t, world, workspace, LINE_COST);
    const last = await world.submit(other, equalLines('b', 2));
    await drain(world);
    t.match(world.show(other, last).counts, { done: 1, pending: 1 });
    await balanceIs(t, world, workspace, 0n);
  });
}

test('a crash: lines in progress run again, each is charged once, and exactly the credit is spent', async (t) => {
  const world = await start(t);
  const workspace = world.workspace('crashed', 8n * LINE_COST);
  const key = world.key(null, workspace);
  const id = await world.submit(key, equalLines('a', 30));
  await turns();
  world.engine.answer('a000');
  world.engine.answer('a001');
  await turns();
  await world.access.flush();
  await world.crash(false);
  await drain(world);
  t.match(world.show(key, id).counts, { done: 8, failed: 0, pending: 22 });
  await balanceIs(t, world, workspace, 0n);
});

test('a line that is not covered blocks its own key only; a smaller line does not overtake it', async (t) => {
  const world = await start(t);
  const long = 'L'.repeat(60);
  const workspace = world.workspace('large', BigInt(tokensOf(long) - 1) * PRICE);
  const [key, other] = [world.key(null, workspace), world.key(null, workspace)];
  world.engine.room = 1;
  const blocked = await world.submit(key, [line(long), equalLines('s', 3)].join('\n'));
  const later = await world.submit(key, equalLines('t', 3));
  await world.pass(5);
  t.strictSame(world.engine.started, [], 'neither in its batch nor in another of the key');
  t.match(world.show(key, blocked), { status: 'queued', started_at: null, counts: { failed: 0 } });
  world.engine.answersAtOnce = true;
  const small = await world.submit(other, equalLines('o', 2));
  await world.pass(1);
  t.match(world.show(other, small), { status: 'done' }, 'another key of the workspace goes on');
  grantCredit(world.store, world.clock, workspace, 2n * LINE_COST + PRICE);
  await world.pass(2);
  t.equal(world.engine.started[2], long, 'with credit it is the first');
  grantCredit(world.store, world.clock, workspace, 6n * LINE_COST);
  await world.pass(2);
  for (const id of [blocked, later]) t.match(world.show(key, id), { status: 'done', counts: { failed: 0 } });
  await balanceIs(t, world, workspace, 0n);
});

test('when the batch of the uncovered line ends, the other batches of the key go on', async (t) => {
  const world = await start(t);
  const long = 'L'.repeat(60);
  const workspace = world.workspace('freed', 3n * LINE_COST);
  const key = world.key(null, workspace);
  const blocked = await world.submit(key, line(long));
  const later = await world.submit(key, equalLines('t', 3));
  await world.pass(5);
  t.strictSame(world.engine.started, []);
  await world.batches.cancel(world.caller(key), blocked);
  await drain(world);
  t.match(world.show(key, blocked), { status: 'cancelled', counts: { done: 0, failed: 1 } });
  t.match(world.show(key, later), { status: 'done', counts: { done: 3 } });
  await balanceIs(t, world, workspace, 0n);
});

test('when the lines of the batch of the uncovered line are damaged, the other batches of the key go on', async (t) => {
  const world = await start(t);
  const workspace = world.workspace('damaged', 3n * LINE_COST);
  const key = world.key(null, workspace);
  const blocked = await world.submit(key, line('L'.repeat(60)));
  const later = await world.submit(key, equalLines('t', 3));
  await world.pass(5);
  t.strictSame(world.engine.started, []);
  (world.batches['runner'].find(blocked) as OpenBatch).isDamaged = true;
  await drain(world);
  t.match(world.show(key, blocked), { status: 'queued', counts: { pending: 1 } });
  t.match(world.show(key, later), { status: 'done', counts: { done: 3 } });
});

test('a line that waits for credit fails when its model is withdrawn, and the other lines of the key go on', async (t) => {
  const world = await start(t);
  const long = 'L'.repeat(60);
  const workspace = world.workspace('withdrawn', 3n * LINE_COST);
  const key = world.key(null, workspace);
  const id = await world.submit(key, [line(long, 's', 'm2'), line('b000', 's2')].join('\n'));
  const later = await world.submit(key, equalLines('t', 2));
  await world.pass(5);
  t.strictSame(world.engine.started, []);
  changeWorkspace(world.store, world.clock, workspace, { models: ['m'] });
  await drain(world);
  t.match(world.show(key, id), { status: 'done', counts: { done: 1, failed: 1 } });
  t.match((await world.collect(key, id))[0], { status: null, error: { type: 'model_not_allowed' } });
  t.match(world.show(key, later), { status: 'done', counts: { done: 2 } });
  await balanceIs(t, world, workspace, 0n);
  t.strictSame(world.troubles, []);
});

test('a line that waits for credit runs once a lower price makes the credit enough', async (t) => {
  const world = await start(t);
  const workspace = world.workspace('cheaper', LINE_COST);
  const key = world.key(null, workspace);
  world.price = 2n * PRICE;
  const id = await world.submit(key, equalLines('a', 1));
  await world.pass(5);
  t.match(world.show(key, id).counts, { done: 0, pending: 1 });
  world.price = PRICE;
  world.batches.modelsChanged();
  await drain(world);
  t.match(world.show(key, id), { status: 'done', counts: { done: 1 } });
  await balanceIs(t, world, workspace, 0n);
});

test('a line that waits for credit takes no memory, and is prepared again only when it is covered', async (t) => {
  const world = await start(t);
  const workspace = world.workspace('waits', LINE_COST - 1n);
  const key = world.key(null, workspace);
  let prepared = 0;
  const { prepare } = world.engine;
  world.engine.prepare = (task) => {
    prepared += 1;
    return prepare.call(world.engine, task);
  };
  const id = await world.submit(key, equalLines('a', 5));
  await world.pass(1);
  const before = prepared;
  await world.pass(600);
  t.equal(prepared, before, 'it is not looked at again and again');
  t.ok(before <= 2);
  t.equal(world.batches['runner']['memory'].bytes, 0);
  const awaited = [...world.batches['runner']['funds']['awaited'].values()];
  const charge = { model: 'm-20260101', kind: 'batch', inputTokens: tokensOf('a000'), price: PRICE };
  t.strictSame(
    awaited.map(({ open, ...line }) => [open.batch.id, line]),
    [[id, { model: 'm', task: null, charge }]],
    'what is remembered of it has not its body',
  );
  grantCredit(world.store, world.clock, workspace, 1n);
  await drain(world);
  t.match(world.show(key, id).counts, { done: 1, pending: 4 });
  t.ok(world.clock.now() > 600 * SECOND_MS);
});
