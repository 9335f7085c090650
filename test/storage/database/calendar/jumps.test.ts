import { test } from 'tap';
import { JUMP_LASTS_MS } from '../../../../src/base/index.js';
import { ANSWERS, CalendarWorld, DAY_MS, START, UNCHANGED } from '../../../support/cluster/calendar-world.js';
import { sql } from '../../../support/cluster/nodes.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';

/** Jumps of the database's clock, in milliseconds. */
const JUMPS = [15 * DAY_MS, -15 * DAY_MS, 1_500, -1_500];
/** Heartbeats until the nodes hold back a jump. */
const FOUND = 4;
const HOUR_MS = 3_600_000;

for (const jump of JUMPS) {
  test(
    `a jump of the database's clock by ${jump} ms changes nothing until it has lasted`,
    NEEDS_POSTGRES,
    async (t) => {
      const world = await CalendarWorld.start(t);
      await world.fill();
      await world.beat(2);
      const ids = world.nodes.map(({ session }) => session.id);
      await world.clock.move(jump);
      for (let beat = 1; beat <= FOUND; beat += 1) {
        await world.beat(1);
        const { sql: ahead } = await world.ahead();
        t.ok(Math.abs(ahead) <= 5_000, `${ahead} ms`);
        t.strictSame(await world.state(), UNCHANGED);
      }
      t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] });
      for (const { session, events } of world.nodes) {
        t.strictSame(events, [['held', jump]]);
        t.equal(session.calendar.jumpMs, jump);
        t.equal(session.clock.certainFor(), 0);
        t.ok(session.isServing);
      }
      t.strictSame(
        world.nodes.map(({ session }) => session.id),
        ids,
      );
      await world.clock.move(-jump);
      await world.beat(FOUND);
      t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] });
      for (const { session, events } of world.nodes) {
        t.strictSame(events, [
          ['held', jump],
          ['undone', -jump],
        ]);
        t.equal(session.calendar.jumpMs, 0);
        t.equal(session.clock.certainFor(), Number.POSITIVE_INFINITY);
      }
      t.strictSame(await world.state(), UNCHANGED);
    },
  );
}

test('a jump that lasts is followed once, and what is stored keeps its age', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t);
  await world.fill();
  const jump = 15 * DAY_MS;
  const ids = world.nodes.map(({ session }) => session.id);
  await world.clock.move(jump);
  await world.beat(FOUND);
  await world.pass(JUMP_LASTS_MS - 2_000);
  t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] });
  await world.pass(4_000);
  await world.beat(2);
  t.strictSame(await world.ahead(), { sql: jump, nodes: [jump, jump] });
  t.strictSame(await world.state(), UNCHANGED, 'nothing ends for another 5 minutes');
  t.strictSame(
    world.nodes.map(({ session, events }) => [session.id, events]),
    ids.map((id) => [
      id,
      [
        ['held', jump],
        ['accepted', jump],
        ['skewed', -jump],
      ],
    ]),
  );
  const [open, done] = await sql<{ expires: number; finished: number }>(
    world.database,
    'SELECT expires, finished FROM batches ORDER BY number',
  );
  t.equal(open?.expires, START + DAY_MS + jump);
  t.equal(done?.finished, START + jump);
  const madeAt = (at: number) => [
    { kind: 'answer', at: 7, count: 1 },
    { kind: 'answer', at, count: ANSWERS },
    { kind: 'label', at: 7, count: 1 },
    { kind: 'label', at, count: 1 },
  ];
  t.strictSame(await world.taskTimes(), madeAt(START + jump), 'what is older keeps its time');
  const [{ seen } = { seen: 0 }] = await sql<{ seen: number }>(
    world.database,
    'SELECT max(seen) AS seen FROM nodes',
  );
  t.ok(Math.abs(seen - world.now) < 5_000, 'sessions have a time that does not jump');
  await world.pass(JUMP_LASTS_MS);
  const later = { ...UNCHANGED, ended: ['key_ended'], keyWorks: false, month: '2026-12' };
  t.strictSame(
    await world.state(),
    later,
    'the key has a date; the window and the idempotency key last a day',
  );
  await world.clock.move(-jump);
  await world.beat(FOUND);
  await world.pass(JUMP_LASTS_MS);
  await world.beat(2);
  t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] }, 'and back');
  t.match(await sql(world.database, 'SELECT expires FROM batches'), [{ expires: START + DAY_MS }, {}]);
  t.strictSame(await world.taskTimes(), madeAt(START));
});

for (const isKilled of [false, true]) {
  const how = isKilled ? 'killed' : 'stopped';
  test(
    `nodes that start after a jump find it by the stored time; earlier ones were ${how}`,
    NEEDS_POSTGRES,
    async (t) => {
      const world = await CalendarWorld.start(t, 1);
      await world.fill();
      await world.beat(1);
      const [earlier] = world.nodes.splice(0);
      if (!isKilled) await earlier?.session.stop();
      const jump = 15 * DAY_MS;
      await world.clock.move(jump);
      const one = await world.join();
      const stopped = jump + world.passed - 1_000;
      const other = await world.join();
      await world.beat(2);
      for (const { events } of [one, other]) t.match(events[0], ['doubtful', stopped]);
      t.strictSame(await world.state(), UNCHANGED);
      t.equal(one.session.clock.settled(), START + 1_000, 'by which keys expire');
      await world.pass(JUMP_LASTS_MS - 5_000);
      t.strictSame(await world.state(), UNCHANGED);
      await world.pass(8_000);
      const ended = {
        ended: ['key_ended'],
        claimable: [],
        keyWorks: false,
        month: '2026-12',
        submitted: undefined,
      };
      t.strictSame(await world.state(), { ...UNCHANGED, ...ended });
      await world.pass(HOUR_MS - JUMP_LASTS_MS - 10_000);
      t.strictSame(await world.state(), { ...UNCHANGED, ...ended }, 'nothing is deleted for an hour');
      await world.pass(20_000);
      t.strictSame(await world.state(), { ...UNCHANGED, ...ended, submissions: 0, deletable: ['done'] });
    },
  );
}

test('after a start before the stored time, what had ended stays ended', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t, 1);
  await world.fill();
  await world.pass(2 * DAY_MS);
  const { keyWorks, ended } = await world.state();
  t.strictSame([keyWorks, ended], [false, ['key_ended']]);
  await world.nodes.splice(0)[0]?.session.stop();
  await world.clock.move(-15 * DAY_MS);
  const node = await world.join();
  t.match(node.events[0], ['held', -15 * DAY_MS]);
  t.equal((await world.state()).keyWorks, false);
});

test(
  'a start before the stored time continues it, and follows the clock as after every jump',
  NEEDS_POSTGRES,
  async (t) => {
    const world = await CalendarWorld.start(t, 1);
    await world.fill();
    await world.beat(1);
    await world.nodes.splice(0)[0]?.session.stop();
    await world.clock.move(-15 * DAY_MS);
    await world.join();
    await world.beat(2);
    const [begun] = (await world.ahead()).nodes as [number];
    t.ok(Math.abs(begun) <= 5_000, `${begun} ms`);
    await world.clock.move(15 * DAY_MS);
    await world.beat(4);
    t.ok(
      Math.abs((await world.ahead()).sql) <= 5_000,
      'the clock is correct again, and nothing has happened',
    );
    t.strictSame(await world.state(), UNCHANGED);
  },
);
