import { test } from 'tap';
import { JUMP_LASTS_MS } from '../../src/base/index.js';
import { openStore, readKeptTime } from '../../src/storage/folder/index.js';
import { movableClock } from '../support/movable-clock.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const DAY_MS = 24 * 3_600_000;
const BODY = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } };

/** A server whose system's clock can be set, beside its folder. */
async function started(t: Parameters<typeof startTestServer>[0], data = dataFolder(t), ahead = 0) {
  const moved = movableClock();
  const set = { ms: ahead };
  const clock = { ...moved, now: () => moved.now() + set.ms };
  const server = await startTestServer(t, { DECIDER_DATA: data }, undefined, { clock });
  const store = openStore(data);
  t.teardown(() => store.close());
  return { ...server, data, store, clock: moved, set };
}

test('clock glitches: a live request in the middle of one is answered, and charged to the real day', async (t) => {
  const { decide, set, store, clock } = await started(t);
  await decide(BODY);
  set.ms = 400 * DAY_MS;
  t.equal((await decide(BODY)).status, 200, 'its key lives for a year');
  set.ms = 0;
  clock.advance(1_000);
  const rows = () => [...store.table('usage').entries()];
  const charged = () => rows().reduce((sum, { value }) => sum + value.requests, 0);
  await until(() => charged() >= 2);
  t.equal(charged(), 2);
  for (const { key } of rows()) t.ok(Math.abs(Date.parse(String(key[1])) - Date.now()) < 2 * DAY_MS);
  t.equal([...store.table('accounts').entries()][0]?.value.month, new Date().toISOString().slice(0, 7));
});

test('clock glitches: the time is stored, and a start far from it is logged and recorded', async (t) => {
  const first = await started(t);
  const kept = () => readKeptTime(first.store) as { shown: number; certain: number | null };
  t.ok(Math.abs(kept().shown - Date.now()) < 60_000);
  t.equal(kept().certain, kept().shown);
  first.set.ms = 3 * DAY_MS;
  first.clock.advance(61_000);
  await until(() => kept().shown - Date.now() > 60_000);
  t.ok(kept().shown < Date.now() + DAY_MS, 'not the jump');
  await first.stop();
  const { certain } = kept();

  const next = await started(t, first.data, 3 * DAY_MS);
  t.ok(next.lines.some((line) => /differs from the last recorded time/.test(line)));
  t.strictSame([kept().certain, kept().shown > Date.now() + 2 * DAY_MS], [certain, true]);
  next.clock.advance(JUMP_LASTS_MS);
  await until(() => (kept().certain ?? 0) > Date.now() + 2 * DAY_MS);
  t.ok(kept().certain, 'it is believed when it lasts');
});
