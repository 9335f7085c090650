import { test } from 'tap';
import { JUMP_LASTS_MS } from '../../../../src/base/index.js';
import { revokeKey } from '../../../support/access/folder-changes.js';
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
} from '../../../support/batch/world.js';

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
  test(`clock glitches: a lasting jump leaves an open batch the rest of its 24 hours (${ms})`, async (t) => {
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
    world.nextRoom = 0;
    await world[how]();
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

test('clock glitches: times stored by a process whose clock was behind move when the clock is corrected', async (t) => {
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
  await until(() => world.show(done, other).finished_at === isoOf(START));
  // Writes take real time, of which hardly any has passed.
  await world.access.flush();
  t.equal(await world.submit(done, line('b'), { idempotencyKey: 'k' }), other, 'it is not made twice');
});

test('clock glitches: a key that has expired by a doubtful start works until the calendar is certain', async (t) => {
  for (const hasRoom of [true, false]) {
    const world = await World.start(t);
    const { key, id } = await waiting(world, 3);
    await world.access.flush();
    world.lastCertain = world.clock.now();
    jump(world, 3 * DAY_MS);
    world.nextRoom = 0;
    await world.restart();
    if (hasRoom) {
      t.ok(await allAnswered(world, key, id, 3), 'its lines run');
      continue;
    }
    await world.pass(JUMP_LASTS_S - 1);
    t.match(world.show(key, id), { status: 'queued', reason: null });
    await world.pass(2);
    t.match(world.show(key, id), { status: 'failed', reason: 'key_revoked' });
  }
});

test('clock glitches: after a doubtful start, no line of a key begins that had expired by the last certain time', async (t) => {
  const world = await World.start(t);
  const key = world.key(world.clock.now() + 60 * SECOND_MS);
  world.engine.room = 0;
  const id = await world.submit(key, lines('a', 3));
  await world.access.flush();
  world.lastCertain = world.clock.now() + 61 * SECOND_MS;
  jump(world, 3 * DAY_MS);
  await world.crash();
  world.engine.room = 100;
  await world.pass(5);
  t.match(world.show(key, id), { status: 'queued', counts: { done: 0, pending: 3 } });
  await world.pass(JUMP_LASTS_S);
  t.match(world.show(key, id), { status: 'failed', reason: 'key_revoked', counts: { done: 0 } });
});

test('clock glitches: a revoked key ends its batches at once, whatever the clock', async (t) => {
  const world = await World.start(t);
  const { key, id } = await waiting(world, 3);
  jump(world, 3 * DAY_MS);
  revokeKey(world.store, world.clock, key.id);
  await world.pass(2);
  t.match(world.show(key, id), { status: 'failed', reason: 'key_revoked' });
  t.strictSame(await world.problems(), []);
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

test('clock glitches: a jump that reverts deletes nothing', async (t) => {
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

test('clock glitches: nothing is deleted for an hour after an uncertain start', async (t) => {
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

/** The system's clock has been wrong for long enough: the calendar jumps now, in this turn of the event loop. */
function jumpNow(world: World, ms: number): void {
  jump(world, ms);
  world.calendar.now();
  world.clock.advance(JUMP_LASTS_MS);
  world.calendar.now();
}

/** Copies of a finished batch, in the order of their names. */
async function copies(world: World, id: string, count: number, changes: object = {}): Promise<string[]> {
  const table = world.store.table('batches');
  const batch = table.get(id);
  if (batch === undefined) throw new Error('no such batch');
  const ids = Array.from({ length: count }, (_, at) => `batch_${String(at).padStart(24, '0')}`);
  await world.store.write(ids.map((copy) => table.write([copy], { ...batch, ...changes, id: copy })));
  return ids;
}

const finishedOf = (world: World, id: string) => world.store.table('batches').get(id)?.finished;

test('clock glitches: a jump moves many stored times in turns of the event loop', async (t) => {
  const world = await World.start(t);
  const { id } = await finished(world);
  const before = finishedOf(world, id) as number;
  const ids = await copies(world, id, 640);
  const moved = () =>
    ids.filter((each) => Date.parse(world.show({ id: key }, each).finished_at as string) !== before).length;
  const { key } = world.store.table('batches').get(id) as { key: string };
  jumpNow(world, 3 * DAY_MS);
  t.equal(moved(), 0, 'nothing is moved while the clock is read');
  let rounds = 0;
  for (; moved() < ids.length; rounds += 1) await turns(1);
  t.ok(rounds >= ids.length / 100, `${rounds} turns`);
  await world.batches.stop();
  await world.access.flush();
  t.ok(
    [id, ...ids].every((each) => finishedOf(world, each) === before + 3 * DAY_MS),
    'each once',
  );
});

// Back by less than the process has lasted: the new times look like some of before.
for (const ms of [3 * DAY_MS, -60 * SECOND_MS]) {
  test(`clock glitches: times stored while others move are not moved (${ms})`, async (t) => {
    const world = await World.start(t);
    const { key, id } = await finished(world);
    await copies(world, id, 1_000);
    world.engine.answersAtOnce = false;
    const late = await world.submit(key, line('b'));
    await until(() => world.engine.waiting.size === 1);
    jumpNow(world, ms);
    const now = world.calendar.now();
    world.engine.answerAll();
    world.engine.answersAtOnce = true;
    await world.collect(key, id);
    const used = await world.submit(key, line('c'), { idempotencyKey: 'k' });
    await world.finished(key, late);
    await world.batches.stop();
    await world.access.flush();
    const stored = (batch: string) => world.store.table('batches').get(batch);
    t.equal(stored(late)?.finished, now);
    t.match(stored(id), { finished: START + ms, collected: now });
    t.strictSame(
      [...world.store.table('submissions').entries()].map(({ value: { batch, at } }) => [batch, at]),
      [[used, now]],
    );
  });

  test(`clock glitches: an idempotency key being written when the calendar jumps has the right age (${ms})`, async (t) => {
    const world = await World.start(t);
    const key = world.key();
    const { store } = world;
    const write = store.write.bind(store);
    store.write = (writes) => {
      const written = write(writes);
      if (writes.some(({ table }) => table === 'batch_order')) jumpNow(world, ms);
      return written;
    };
    await world.submit(key, line('a'), { idempotencyKey: 'k' });
    await world.batches.stop();
    const [row] = [...store.table('submissions').entries()];
    t.equal(row?.value.at, START + ms);
  });
}

test('clock glitches: a deletion run in progress stops when the calendar jumps', async (t) => {
  const world = await World.start(t);
  const { key, id } = await finished(world);
  // More than are read in one turn; the first of them is due.
  const [due] = await copies(world, id, 200);
  await copies(world, id, 1, { finished: START - 15 * DAY_MS });
  const { store } = world;
  const write = store.write.bind(store);
  let goOn = () => {};
  const removing = new Promise<void>((reached) => {
    store.write = async (writes) => {
      if (writes.some(({ table }) => table === 'batch_results')) {
        reached();
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      }
      return write(writes);
    };
  });
  world.clock.advance(TEN_MINUTES_MS);
  await removing;
  jumpNow(world, -40 * DAY_MS);
  await until(() => world.show(key, id).delete_after === isoOf(START - 26 * DAY_MS));
  await world.access.flush();
  goOn();
  await until(() => store.table('batches').get(due as string) === undefined);
  await turns(50);
  t.equal(
    [...store.table('batches').keys()].length,
    200,
    'the run has removed what it was removing, and no more',
  );
});

const isoOf = (instant: number) => new Date(instant).toISOString().replace('Z', '+00:00');
