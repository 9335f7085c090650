import { test } from 'tap';
import { KeyUses } from '../../../../src/access/index.js';
import { DatabaseKeyUses, lastUses } from '../../../../src/storage/database/directory/key-uses.js';
import { FreezableClock } from '../../../support/cluster/freezable-clock.js';
import { sql, startNode } from '../../../support/cluster/nodes.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { until } from '../../../support/until.js';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-06-15T12:00:00Z');

test('nodes store the last use of a key in an exchange, once an hour', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const nodes = await Promise.all([startNode(t, url), startNode(t, url)]);
  const uses = nodes.map(({ ledger }) => {
    const each = new KeyUses();
    ledger.join(new DatabaseKeyUses(each));
    return each;
  });
  const [a, b] = uses as [KeyUses, KeyUses];
  const keys = Array.from({ length: 50 }, (_, at) => `k${at}`);
  // Both write the same rows at the same time, in other orders.
  for (const key of keys) a.note(key, NOON);
  for (const key of [...keys].reverse()) b.note(key, NOON + HOUR_MS);
  await Promise.all(nodes.map(({ ledger }) => ledger.flush()));
  await until(
    async () => [...(await lastUses(database)).values()].filter((at) => at === NOON + HOUR_MS).length === 50,
  );
  t.strictSame([a.pending().size, b.pending().size], [0, 0]);
  t.strictSame(
    nodes.flatMap(({ errors }) => errors),
    [],
  );
  const written = () => nodes[0]?.database.statements.get('key-uses-put') ?? 0;
  const before = written();
  for (const key of keys) a.note(key, NOON + 1);
  await nodes[0]?.ledger.flush();
  t.equal(written(), before, 'no further write in this hour');

  b.note('late', NOON + 100 * HOUR_MS);
  await nodes[1]?.ledger.flush();
  a.note('late', NOON);
  await nodes[0]?.ledger.flush();
  t.strictSame(
    [...(await lastUses(database, ['late', 'unknown']))],
    [['late', NOON]],
    'a wrong time is replaced',
  );
});

test('what a lost session did not store is stored by the next one', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const clock = new FreezableClock();
  const node = await startNode(t, url, { clock });
  const uses = new KeyUses();
  node.ledger.join(new DatabaseKeyUses(uses));
  uses.note('a', NOON);
  // No heartbeat notices the loss before the flush does.
  clock.freeze();
  await sql(database, 'DELETE FROM nodes');
  await t.rejects(node.ledger.flush());
  t.equal(uses.pending().size, 1);
  clock.thaw();
  await until(async () => (await lastUses(database)).size === 1);
});
