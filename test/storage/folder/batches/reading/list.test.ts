import { test } from 'tap';
import { LIMITS } from '../../../../../src/api/index.js';
import { PIECE_BYTES } from '../../../../../src/batch/reading/results-piece.js';
import { Sealer } from '../../../../../src/storage/folder/index.js';
import { lines, reason, turns, World } from '../../../../support/batch/world.js';
import { storeFinishedBatches } from '../../../../support/stored-batches.js';

/** A world with a key of so many finished batches. */
async function start(t: Parameters<typeof World.start>[0], count: number) {
  const world = await World.start(t);
  const key = world.key();
  const ids = await storeFinishedBatches(world.store, new Sealer(world.store, ''), {
    key: key.id,
    workspace: 'w',
    count,
    lines: 1,
    resultBytes: 100,
    now: world.clock.now(),
  });
  return { world, key, ids };
}

const idsOf = ({ data }: { readonly data: readonly { readonly id: string }[] }) => data.map(({ id }) => id);

test('a list without a limit has all of the key’s batches, in pieces if it is long', async (t) => {
  for (const count of [0, 1, 300]) {
    const { world, key, ids } = await start(t, count);
    const list = await world.batches.list(world.caller(key), { limit: null, after: null });
    t.equal(typeof list, count < 300 ? 'string' : 'object');
    if (typeof list !== 'string') {
      for await (const piece of list) t.ok(piece.length < PIECE_BYTES + 2_000, `${piece.length}`);
    }
    const whole = await world.list(key);
    t.strictSame(Object.keys(whole), ['object', 'data']);
    t.strictSame(idsOf(whole), ids);
  }
});

test('pages of any size, one after another, make up the whole list', async (t) => {
  const count = LIMITS.batchesListed + 20;
  const { world, key, ids } = await start(t, count);
  for (const limit of [1, 7, 60, LIMITS.batchesListed]) {
    const found: string[] = [];
    for (let more: boolean | undefined = true; more; ) {
      const page = await world.list(key, { limit, after: found.at(-1) ?? null });
      t.ok(page.data.length <= limit);
      found.push(...idsOf(page));
      more = page.has_more;
      t.equal(more, found.length < count, `${limit}: ${found.length}`);
    }
    t.strictSame(found, ids);
  }
  const rest = await world.list(key, { after: ids[99] as string });
  t.strictSame(Object.keys(rest), ['object', 'data'], 'without a limit there is nothing more');
  t.strictSame(idsOf(rest), ids.slice(100));
  t.strictSame(await world.list(key, { limit: 5, after: ids.at(-1) as string }), {
    object: 'list',
    data: [],
    has_more: false,
  });
});

test('`after` must be a batch of the key', async (t) => {
  const { world, key } = await start(t, 1);
  const other = world.key();
  const own = await world.submit(other, lines('o', 1));
  for (const after of ['', 'x', `batch_${'a'.repeat(24)}`, own]) {
    t.match(await reason(world.list(key, { after })), { type: 'invalid_request', message: /`after`/ });
  }
});

test('a list includes changes that are not on the disk yet', async (t) => {
  const { world, key } = await start(t, 3);
  world.engine.answersAtOnce = false;
  const id = await world.submit(key, lines('a', 2));
  await turns();
  const { write } = world.store;
  world.store.write = async () => {
    throw new Error('no room');
  };
  world.engine.answer('a0');
  await turns();
  const { data } = await world.list(key);
  t.match(data.at(-1), { id, status: 'running', counts: { done: 1, pending: 1 } });
  world.store.write = write;
});
