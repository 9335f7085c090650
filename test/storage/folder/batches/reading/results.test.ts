import { test } from 'tap';
import { PIECE_BYTES } from '../../../../../src/batch/reading/results-piece.js';
import { SealedBatch } from '../../../../../src/storage/folder/batches/sealed-batch.js';
import { Sealer } from '../../../../../src/storage/folder/index.js';
import { reason, World } from '../../../../support/batch/world.js';
import { storeFinishedBatches } from '../../../../support/stored-batches.js';

async function start(t: Parameters<typeof World.start>[0], lines: number, resultBytes: number) {
  const world = await World.start(t);
  const key = world.key();
  const sealer = new Sealer(world.store, '');
  const batch = { key: key.id, workspace: 'w', count: 1, lines, resultBytes, now: world.clock.now() };
  const [id] = (await storeFinishedBatches(world.store, sealer, batch)) as [string];
  return { world, key, id };
}

for (const [lines, resultBytes] of [
  [1, 100],
  [256, 300],
  [700, 2_000],
  [3, 3 * PIECE_BYTES],
] as const) {
  test(`${lines} results of ${resultBytes} bytes come in pieces, each read when the one before is taken`, async (t) => {
    const { world, key, id } = await start(t, lines, resultBytes);
    const read: number[] = [];
    const { result } = SealedBatch.prototype;
    SealedBatch.prototype.result = function (index) {
      read.push(index);
      return result.call(this, index);
    };
    t.teardown(() => {
      SealedBatch.prototype.result = result;
    });
    const { pieces } = await world.batches.results(world.caller(key), id);
    t.strictSame(read, [], 'nothing before it is asked for');
    let text = '';
    let most = 0;
    for await (const piece of pieces) {
      t.ok(piece.length <= PIECE_BYTES);
      text += Buffer.from(piece);
      const ahead = read.length - text.split('\n').length + 1;
      most = Math.max(most, ahead);
    }
    t.ok(most <= Math.ceil(PIECE_BYTES / resultBytes) + 1, `${most} lines are ahead of what was taken`);
    t.strictSame(
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).custom_id),
      Array.from({ length: lines }, (_, at) => `line-${at}`),
    );
    t.equal(read.length, lines, 'each is opened once');
  });
}

test('a download whose batch is deleted ends with an error, and never reports answered lines as unanswered', async (t) => {
  const { world, key, id } = await start(t, 700, 2_000);
  const { pieces } = await world.batches.results(world.caller(key), id);
  const iterator = pieces[Symbol.asyncIterator]();
  t.equal((await iterator.next()).done, false);
  await world.store.write([
    world.store.table('data_keys').write([id], null),
    world.store.table('batch_results').removal([id, 0], [id, 700]),
  ]);
  const end = async () => {
    for (;;) if ((await iterator.next()).done) return;
  };
  t.match(await reason(end()), { message: /has been deleted/ });
});
