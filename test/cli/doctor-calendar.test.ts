import { test } from 'tap';
import { JUMP_LASTS_MS } from '../../src/base/index.js';
import { examineCalendar } from '../../src/cli/doctor-calendar.js';
import { CalendarWorld, DAY_MS } from '../support/cluster/calendar-world.js';
import { NEEDS_POSTGRES } from '../support/postgres.js';

const HOUR_MS = 3_600_000;

test('doctor: the calendar of a cluster and the clocks of its hosts', NEEDS_POSTGRES, async (t) => {
  const world = await CalendarWorld.start(t, 0);
  const { database, clock } = world;
  const examine = async () => {
    const findings = [];
    for await (const finding of examineCalendar(database)) findings.push(finding);
    return findings;
  };
  const warns = async (...details: RegExp[]) => {
    const findings = (await examine()).filter(({ remedy }) => remedy !== undefined);
    t.equal(findings.length, details.length, JSON.stringify(findings));
    for (const [at, detail] of details.entries()) t.match(findings[at], { ok: true, detail });
  };
  t.match(await examine(), [{ ok: true, detail: 'no time recorded yet' }]);
  const node = await world.join();
  await world.beat(1);
  t.match(await examine(), [
    { check: 'clock', ok: true, detail: /^last recorded time 2026-11-20 12:00:\S+Z$/ },
  ]);

  await clock.move(-DAY_MS);
  await world.beat(4);
  await warns(
    /^the clock of the database has jumped by -86400\.0 s since 2026-11-20 \S+; the cluster follows it after 5 minutes/,
  );
  await world.pass(JUMP_LASTS_MS);
  await world.beat(2);
  await warns(
    /has jumped; at 2026-11-19 \S+ the cluster followed it\. .* nothing is deleted for 60 minutes\.$/,
    /^the clocks of these hosts .*: node 0 by 86400\.0 s\.$/,
  );
  node.clock.set(node.session.clock.now() + 3_000);
  await world.pass(HOUR_MS);
  await warns(/^the clocks of these hosts .*: node 0 by 3\.0 s\.$/);

  await node.session.stop();
  world.nodes.splice(0);
  await clock.move(HOUR_MS / 2);
  await warns();
  await clock.move(HOUR_MS);
  t.match(await examine(), [
    {
      ok: true,
      detail:
        /^the clock of the database is 5\d\d\d\.0 s ahead of the last recorded time, .*; after a start nothing expires for 5 minutes$/,
    },
  ]);
  await clock.move(-DAY_MS);
  await warns(/^the clock of the database is -8\d{4}\.0 s ahead of the last recorded time/);
});
