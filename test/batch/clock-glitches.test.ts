import { test } from 'tap';
import { revokeKey } from '../../src/access/index.js';
import { JUMP_LASTS_MS } from '../../src/base/index.js';
import {
  DAY_MS,
  line,
  lines,
  reason,
  SECOND_MS,
  START,
  turns,
  until,
  World,
} from '../support/batch/world.js';

const JUMP_LASTS_S = JUMP_LASTS_MS / SECOND_MS;
const LINES = 40;
const TEN_MINUTES_MS = 600 * SECOND_MS;

/** The system's clock is set by so much: no time passes. */
const jump = ({ clock }: World, ms: number) => clock.set(clock.now() + ms);

/** A batch of which the engine has no room for any line. */
async function waiting(world: World, count = LINES, days = 2) {
  const key = world.key(world.clock.now() + days * DAY_MS);
  world.engine.room = 0;
  return { key, id: await world.submit(key, lines('a', count)) };
}

/** Everything is answered, however late it is. */
async function allAnswered(world: World, key: { readonly id: string }, id: string, count = LINES) {
  world.engine.room = 100;
  for (let second = 0; second < 5; second += 1) await world.pass(1);
  return (await world.finished(key, id)).counts.done === count;
}

test('clock glitches: a jump of three days for two seconds expires no line and no key', async (t) => {
  const world = await World.start(t);
  const { key, id } = await waiting(world);
  await world.pass(10);
  jump(world, 3 * DAY_MS);
  await world.pass(2);
  jump(world, -3 * DAY_MS);
  await world.pass(2);
  t.match(world.show(key, id), { status: 'queued', reason: null, counts: { pending: LINES, failed: 0 } });
  t.ok(await allAnswered(world, key, id));
});

for (const ms of [2 * DAY_MS - 3_600_000, -40 * DAY_MS]) {
  test(`clock glitches: a jump that lasts leaves an open batch what is left of its 24 hours (${ms})`, async (t) => {
    const world = await World.start(t);
    const { key, id } = await waiting(world, LINES, 365);
    await world.pass(60);
    jump(world, ms);
    await world.pass(JUMP_LASTS_S * 2 + 5);
    t.match(world.show(key, id), { status: 'queued', counts: { failed: 0 } });
    const { expires_at } = world.show(key, id) as unknown as { expires_at: string };
    t.equal(Date.parse(expires_at), START + ms + DAY_MS, 'it is shown by the new time');
    world.clock.advance(DAY_MS - (60 + JUMP_LASTS_S * 2 + 5) * SECOND_MS - 1);
    await turns();
    t.match(world.show(key, id), { status: 'queued' });
    await world.pass(2);
    t.match(world.show(key, id), { status: 'failed', reason: 'expired' });
  });
}

for (const how of ['restart', 'crash'] as const) {
  test(`clock glitches: a process that starts with a wrong clock expires nothing (${how})`, async (t) => {
    const world = await World.start(t);
    const { key, id } = await waiting(world);
    await world.access.flush();
    world.lastCertain = world.clock.now();
    jump(world, 3 * DAY_MS);
    await world[how]();
    world.engine.room = 0;
    await world.pass(20);
    t.match(
      world.show(key, id),
      { status: 'queued', counts: { failed: 0 } },
      'neither its window nor its key',
    );
    jump(world, -3 * DAY_MS);
    await world.pass(JUMP_LASTS_S * 2 + 1);
    t.match(world.show(key, id), { status: 'queued', counts: { failed: 0 } });
    t.ok(await allAnswered(world, key, id));
  });
}

test('clock glitches: a process that starts far behind keeps its own stamps when it is put right', async (t) => {
  const world = await World.start(t);
  world.lastCertain = START;
  jump(world, -2 * DAY_MS);
  await world.restart();
  const done = world.key();
  const other = await world.submit(done, line('b'), { idempotencyKey: 'k' });
  await world.finished(done, other);
  await world.pass(20);
  jump(world, 2 * DAY_MS);
  await world.pass(JUMP_LASTS_S * 2 + 2);
  t.match(world.show(done, other), { finished_at: new Date(START).toISOString().replace('Z', '+00:00') });
  // Writes take real time, of which hardly any has passed.
  await world.access.flush();
  t.equal(await world.submit(done, line('b'), { idempotencyKey: 'k' }), other, 'it is not made twice');
});

test('clock glitches: a key that is expired by a doubtful calendar only rests its batches', async (t) => {
  const world = await World.start(t);
  const { key, id } = await waiting(world, 3);
  await world.access.flush();
  world.lastCertain = world.clock.now();
  jump(world, 3 * DAY_MS);
  await world.restart();
  world.engine.room = 100;
  await world.pass(JUMP_LASTS_S - 1);
  t.match(world.show(key, id), { status: 'queued', reason: null });
  t.strictSame(world.engine.started, [], 'nothing runs for a key that may be over');
  await world.pass(2);
  t.match(world.show(key, id), { status: 'failed', reason: 'key_revoked' });
});

test('clock glitches: a key that is revoked ends its batches at once, whatever the clock', async (t) => {
  const world = await World.start(t);
  const { key, id } = await waiting(world, 3);
  jump(world, 3 * DAY_MS);
  revokeKey(world.store, world.clock, key.id);
  await world.pass(2);
  t.match(world.show(key, id), { status: 'failed', reason: 'key_revoked' });
});

/** A batch that has finished. */
async function finished(world: World) {
  const key = world.key();
  const id = await world.submit(key, lines('a', 3));
  await world.finished(key, id);
  await world.access.flush();
  return { key, id };
}

async function hours(world: World, count: number): Promise<void> {
  for (let step = 0; step < count * 6; step += 1) {
    world.clock.advance(TEN_MINUTES_MS);
    await turns();
  }
}

test('clock glitches: a jump that goes back deletes nothing', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finished(world);
  await hours(world, 1);
  world.clock.advance(TEN_MINUTES_MS * 0.8);
  jump(world, 40 * DAY_MS);
  world.calendar.now();
  // Deletion runs meanwhile.
  world.clock.advance(TEN_MINUTES_MS * 0.4);
  await turns();
  jump(world, -40 * DAY_MS);
  await hours(world, 48);
  t.equal((await world.collect(key, id)).length, 3);
});

test('clock glitches: for an hour after a doubtful start nothing is deleted', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finished(world);
  world.lastCertain = world.clock.now();
  jump(world, 40 * DAY_MS);
  await world.restart();
  await hours(world, 5 / 6);
  t.equal((await world.collect(key, id)).length, 3);
  await hours(world, 2);
  await until(() => [...world.store.table('batches').keys()].length === 0);
  t.match(await reason(world.collect(key, id)), { type: 'batch_not_found' }, 'what is over goes in the end');
});
