import { test } from 'tap';
import type { OpenBatch } from '../../../src/batch/runner/open-batch.js';
import { type Readiness, RunQueue } from '../../../src/batch/runner/queue.js';

/** A batch as far as the queue looks at it. */
function batchOf(id: string, key: string, models = ['m']) {
  return { batch: { id, key, models }, nextSharesState: false } as unknown as OpenBatch & {
    nextSharesState: boolean;
  };
}

/** Takes so many turns; the ids of the batches that had them, and how often a batch was asked. */
function take(queue: RunQueue, count: number, readiness: (id: string) => Readiness = () => 'now') {
  let asked = 0;
  const ids = Array.from({ length: count }, () => {
    const open = queue.next(({ batch }) => {
      asked += 1;
      return readiness(batch.id);
    });
    if (open !== undefined) queue.passTurn(open);
    return open?.batch.id;
  });
  return { ids: ids.join(' '), asked };
}

test('keys take turns; within a key the oldest batch that can start goes first', async (t) => {
  const queue = new RunQueue();
  for (const [id, key] of ['a1 a', 'a2 a', 'b1 b', 'c1 c'].map((each) => each.split(' '))) {
    queue.add(batchOf(id as string, key as string));
  }
  t.equal(take(queue, 4).ids, 'a1 b1 c1 a1');
  t.equal(take(queue, 4, (id) => (id === 'a1' ? 'no_room' : 'now')).ids, 'b1 c1 a2 b1');
  t.strictSame([queue.size, queue.models, queue.find('a2')?.batch.id], [4, ['m'], 'a2']);
});

test('a thousand keys with nothing to start are checked once, until they are woken', async (t) => {
  const queue = new RunQueue();
  for (let at = 0; at < 1_000; at += 1) queue.add(batchOf(`r${at}`, `k${at}`));
  queue.add(batchOf('a', 'a'));
  const readiness = (id: string): Readiness => (id === 'a' ? 'now' : 'blocked');
  t.strictSame(take(queue, 10, readiness), { ids: 'a a a a a a a a a a', asked: 1_010 });
  queue.wake('k7');
  t.strictSame(take(queue, 2), { ids: 'a r7', asked: 2 });
  for (let at = 0; at < 1_000; at += 1) queue.wake(`k${at}`);
  t.equal(take(queue, 2_000, readiness).asked, 1_000 + 2_000);
  queue.wake('unknown');
  t.equal(take(queue, 1).ids, 'a');
});

test('a key with one batch that has no room does not rest', async (t) => {
  const queue = new RunQueue();
  queue.add(batchOf('a1', 'a'));
  queue.add(batchOf('a2', 'a'));
  take(queue, 3, (id) => (id === 'a1' ? 'blocked' : 'no_room'));
  t.equal(take(queue, 1).ids, 'a1');
});

test('a key keeps its turn for lines of one state, up to 64 of them', async (t) => {
  const queue = new RunQueue();
  const [a, b] = [batchOf('a', 'a'), batchOf('b', 'b')];
  queue.add(a);
  queue.add(b);
  a.nextSharesState = true;
  const { ids } = take(queue, 130);
  t.equal(ids, `${'a '.repeat(64)}b ${'a '.repeat(64)}b`);
});

test('a removed batch has no turn, and its models are removed with the last batch that names them', async (t) => {
  const queue = new RunQueue();
  const [a, b] = [batchOf('a', 'a', ['m', 'n']), batchOf('b', 'b', ['n'])];
  queue.add(a);
  queue.add(b);
  queue.remove(a);
  queue.remove(a);
  t.strictSame([queue.models, queue.size, queue.all('a')], [['n'], 1, []]);
  t.equal(take(queue, 2).ids, 'b b');
  queue.remove(b);
  t.strictSame([queue.models, queue.size, take(queue, 1).ids], [[], 0, '']);
});
