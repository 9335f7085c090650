import { test } from 'tap';
import { StoreError } from '../../../../src/base/index.js';
import { readAudit } from '../../../../src/storage/folder/lmdb/audit-log.js';
import { lines, reason, turns, World } from '../../../support/batch/world.js';

const cancels = (world: World) =>
  readAudit(world.store.table('audit'), 10, undefined, undefined, { action: 'batch.cancel' }).entries;

/** A world with a batch in progress. */
async function begun(t: Parameters<typeof World.start>[0]) {
  const world = await World.start(t);
  const key = world.key();
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 3));
  await turns();
  return { world, key, id };
}

test('a cancel by the operator is in the audit log once, and one that changes nothing is not', async (t) => {
  const { world, key, id } = await begun(t);
  t.match(await world.batches.cancelAny(id, 'operator:x'), { state: 'cancelling' });
  const entry = { actor: 'operator:x', action: 'batch.cancel', workspace: 'w', key: key.id };
  t.match(cancels(world), [{ ...entry, changes: [{ field: 'batch', before: null, after: id }] }]);
  await world.batches.cancelAny(id, 'operator:y');
  world.engine.answerAll();
  await world.finished(key, id);
  await world.batches.cancelAny(id, 'operator:y');
  world.engine.answersAtOnce = true;
  const done = await world.submit(key, lines('b', 1));
  await world.finished(key, done);
  t.match(await reason(world.batches.cancelAny(done, 'operator:y')), { type: 'batch_finished' });
  const own = await world.submit(key, lines('c', 1));
  await reason(world.batches.cancel(world.caller(key), own));
  t.equal(cancels(world).length, 1);
  t.strictSame(world.troubles, []);
});

test('a cancel and its entry are stored together', async (t) => {
  const { world, key, id } = await begun(t);
  await world.access.flush();
  const { write } = world.store;
  world.store.write = () => Promise.reject(new StoreError('the disk is full'));
  t.match(await reason(world.batches.cancelAny(id, 'operator:x')), { type: 'outcome_unknown' });
  t.equal(cancels(world).length, 0);
  t.equal(world.store.table('batches').get(id)?.state, 'running');
  world.store.write = write;
  await world.access.flush();
  t.equal(cancels(world).length, 1);
  t.equal(world.store.table('batches').get(id)?.state, 'cancelling');
  world.engine.answerAll();
  t.match(await world.finished(key, id), { status: 'cancelled' });
});
