import { type Test, test } from 'tap';
import type { Directory } from '../../../../src/access/index.js';
import type { Database } from '../../../../src/storage/database/index.js';
import { DatabaseRateLimits, RemoteCounts } from '../../../../src/storage/database/rates/rate-limits.js';
import { Session } from '../../../../src/storage/database/session/session.js';
import { sql } from '../../../support/cluster/nodes.js';
import { movableClock } from '../../../support/movable-clock.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const LIMITS = { requestsPerMinute: 10, bytesPerMinute: 1_000 };
const directory = {
  key: (id: string) => (id === 'unknown' ? undefined : { workspace: 'one' }),
} as unknown as Directory;

async function startNode(t: Test, database: Database) {
  const clock = movableClock();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const node = { name: 'node', version: '1.0.0' };
  const session = new Session({ database, clock, node, onError });
  await session.start();
  t.teardown(() => session.stop());
  const rates = new DatabaseRateLimits({ database, session, directory, onError });
  t.teardown(() => rates.stop());
  return { session, rates, clock, errors };
}

const taken = (rates: DatabaseRateLimits, count: number, bytes = 1) => {
  for (let at = 0; at < count; at += 1) rates.take('key', bytes, LIMITS);
};

test('nodes count each other’s requests', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [one, two] = [await startNode(t, database), await startNode(t, database)];
  one.clock.advance(1_000);
  await until(() => one.session.nodes === 2);
  taken(one.rates, 6, 10);
  one.rates.take('unknown', 1, LIMITS);
  t.match(two.rates.left('key', LIMITS), { requests: 10, bytes: 1_000 }, 'before the exchange');
  await one.rates.exchange();
  await two.rates.exchange();
  await two.rates.exchange();
  t.match(two.rates.left('key', LIMITS), { requests: 4, bytes: 940 }, 'counted once');
  taken(two.rates, 4);
  t.throws(() => taken(two.rates, 1), { type: 'rate_limited' } as never);
  await two.rates.exchange();
  await one.rates.exchange();
  t.match(one.rates.left('key', LIMITS), { requests: 0, bytes: 936 });
  two.clock.advance(60_000);
  t.match(two.rates.left('key', LIMITS), { requests: 10, bytes: 1_000 });
});

test('exchanges repeat; the counts of a failed one are in the next one', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [one, two] = [await startNode(t, database), await startNode(t, database)];
  one.clock.advance(1_000);
  await until(() => one.session.nodes === 2);
  await sql(database, 'ALTER TABLE request_rates RENAME TO away');
  taken(one.rates, 3);
  await t.rejects(one.rates.exchange());
  taken(one.rates, 2);
  await sql(database, 'ALTER TABLE away RENAME TO request_rates');
  await one.rates.start();
  await two.rates.start();
  one.clock.advance(1_000);
  await until(async () => (await sql(database, 'SELECT * FROM request_rates')).length === 1);
  await until(() => {
    two.clock.advance(1_000);
    return two.rates.left('key', LIMITS).requests === 5;
  });
  await sql(database, 'UPDATE request_rates SET second = second - 71');
  await two.rates.exchange();
  t.strictSame(await sql(database, 'SELECT * FROM request_rates'), [], 'old rows are deleted');
});

test(
  'a node that starts counts the last minute of a node that was alone, and has ended',
  NEEDS_POSTGRES,
  async (t) => {
    const { database } = await newDatabase(t);
    const one = await startNode(t, database);
    await one.rates.start();
    taken(one.rates, 5, 10);
    await one.rates.stop();
    await one.session.stop();
    await sql(database, 'UPDATE request_rates SET second = second - 40');
    const two = await startNode(t, database);
    await two.rates.start();
    t.match(two.rates.left('key', LIMITS), { requests: 5, bytes: 950 });
    two.clock.advance(20_000);
    t.match(two.rates.left('key', LIMITS), { requests: 10, bytes: 1_000 });
  },
);

test('a node that has lost its session does not count its own requests twice', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const { rates, session } = await startNode(t, database);
  await rates.start();
  taken(rates, 3);
  await rates.exchange();
  session.lost(session.id as number);
  taken(rates, 1);
  await until(() => session.isServing);
  await rates.exchange();
  await rates.exchange();
  t.match(rates.left('key', LIMITS), { requests: 6 });
});

test('what is new among the counts of other nodes', async (t) => {
  const counts = new RemoteCounts();
  const row = { key: 'k', node: 1, second: 5, requests: 2, bytes: 20, ageMs: 7 };
  t.strictSame(counts.added([row]), [{ key: 'k', requests: 2, bytes: 20, ageMs: 7 }]);
  t.strictSame(counts.added([row]), []);
  const later = { ...row, second: 6, requests: 1, bytes: 7 };
  t.strictSame(counts.added([{ ...row, requests: 5, bytes: 60 }, later]), [
    { key: 'k', requests: 3, bytes: 40, ageMs: 7 },
    { key: 'k', requests: 1, bytes: 7, ageMs: 7 },
  ]);
});
