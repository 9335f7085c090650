import { test } from 'tap';
import { JUMP_LASTS_MS } from '../../../../src/base/index.js';
import { SKEW_MS_MAX } from '../../../../src/storage/database/index.js';
import { type CalendarNode, CalendarWorld, DAY_MS } from '../../../support/cluster/calendar-world.js';
import { sql } from '../../../support/cluster/nodes.js';
import { NEEDS_POSTGRES } from '../../../support/postgres.js';

interface Row {
  readonly version: number;
  readonly correction: number;
  readonly confirmed: number;
}

const rowOf = async ({ database }: CalendarWorld) =>
  (await sql<Row>(database, 'SELECT version, correction, confirmed FROM calendar'))[0] as Row;

const pair = ({ nodes }: CalendarWorld) => nodes as [CalendarNode, CalendarNode];

test('a host that was suspended follows the others', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t);
  const [suspended, other] = pair(world);
  await world.beat(2);
  const { version } = await rowOf(world);
  await world.pass(60_000, [other]);
  suspended.clock.set(world.now);
  await world.beat(4);
  t.match(await rowOf(world), { version, correction: 0 });
  t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] });
  t.strictSame([suspended.events, other.events], [[], []]);
});

test('a monotonic clock that jumps is not a jump of the database’s', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t);
  const [wrong, other] = pair(world);
  await world.beat(2);
  const { version } = await rowOf(world);
  wrong.clock.pass(JUMP_LASTS_MS);
  for (let beat = 1; beat <= 4; beat += 1) {
    await world.beat(1);
    t.ok(Math.abs((await world.ahead()).sql) < 1_000);
  }
  t.match(await rowOf(world), { version, correction: 0 });
  t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] });
  t.strictSame([wrong.events, other.events], [[['skewed', JUMP_LASTS_MS]], []]);
});

test('a single host that was suspended is a jump, which lasts', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t, 1);
  const [{ clock, events }] = pair(world);
  await world.clock.move(DAY_MS);
  clock.set(clock.now() + DAY_MS);
  await world.beat(4);
  t.strictSame(events, [
    ['held', DAY_MS],
    ['skewed', DAY_MS],
  ]);
  await world.pass(JUMP_LASTS_MS);
  await world.beat(2);
  t.strictSame(events.slice(2), [['accepted', DAY_MS]]);
});

for (const jump of [2 * DAY_MS, -2 * DAY_MS])
  test(
    `a node that starts as the clock jumps by ${jump} ms has the time of the others`,
    NEEDS_POSTGRES,
    async (t) => {
      const world = await CalendarWorld.start(t, 1);
      const running = [...world.nodes];
      await world.beat(1);
      await world.clock.move(jump);
      await world.join(running);
      await world.beat(1);
      t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] });
      for (const { events } of world.nodes) t.strictSame(events, [['held', jump]]);
    },
  );

test('a failover to an earlier calendar, or to none, is followed', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t);
  const { database } = world;
  await world.beat(1);
  await sql(database, 'CREATE TABLE standby AS SELECT * FROM calendar');
  await world.clock.move(DAY_MS);
  await world.beat(4);
  const { version } = await rowOf(world);
  await world.clock.move(-DAY_MS);
  await sql(database, 'DELETE FROM calendar');
  await sql(database, 'INSERT INTO calendar SELECT * FROM standby');
  await world.beat(3);
  const row = await rowOf(world);
  t.ok(row.version < version);
  t.ok(world.now - row.confirmed <= 1_000, 'the nodes confirm it');
  for (const { events } of world.nodes)
    t.strictSame(events, [
      ['held', DAY_MS],
      ['undone', -DAY_MS],
    ]);
  await sql(database, 'DELETE FROM calendar');
  await world.beat(3);
  t.ok(world.now - (await rowOf(world)).confirmed <= 1_000);
  t.strictSame(await world.ahead(), { sql: 0, nodes: [0, 0] });
});

test('a clock of a host that differs is reported once, and stored', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t);
  const [one, other] = pair(world);
  const skews = async () =>
    (await sql<{ ahead: number }>(world.database, 'SELECT ahead FROM nodes ORDER BY name')).map(
      ({ ahead }) => ahead,
    );
  const setAhead = async (ms: number) => {
    other.clock.set(world.now + ms);
    await world.beat(2);
  };
  await setAhead(SKEW_MS_MAX);
  t.strictSame(other.events, []);
  await setAhead(SKEW_MS_MAX + 1);
  await setAhead(SKEW_MS_MAX + 2);
  t.strictSame(other.events, [['skewed', SKEW_MS_MAX + 1]]);
  t.equal(other.session.skew.ms, SKEW_MS_MAX + 2);
  t.strictSame(await skews(), [0, SKEW_MS_MAX + 2]);
  await setAhead(0);
  await setAhead(-SKEW_MS_MAX - 1);
  t.strictSame(other.events.slice(1), [['skewed', -SKEW_MS_MAX - 1]]);
  t.strictSame(one.events, []);
});
