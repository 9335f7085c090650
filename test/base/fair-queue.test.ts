import { test } from 'tap';
import { FairQueue, QueueFull, type Shares } from '../../src/base/index.js';

const ONE: Shares = { key: 1, workspace: 1, all: 1 };
const MANY: Shares = { key: 100, workspace: 200, all: 300 };
/** `a1` is key 1 of workspace a. */
const owner = (name: string) => ({ workspace: name.charAt(0), key: name });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose work ends when the test says so. */
function queueOf(atOnce: Shares, inQueue: Shares = MANY) {
  const queue = new FairQueue(atOnce, inQueue);
  const started: string[] = [];
  const running: Array<() => void> = [];
  const add = (name: string, signal?: AbortSignal) =>
    queue.run(
      owner(name),
      () => {
        started.push(name);
        return new Promise<string>((resolve) => running.push(() => resolve(name)));
      },
      signal,
    );
  const endOne = async () => {
    running.shift()?.();
    await turn();
  };
  const endAll = async () => {
    await turn();
    while (running.length > 0) await endOne();
  };
  return { queue, started, running, add, endOne, endAll };
}

test('workspaces take turns, and so do the keys of each, however many tasks one has', async (t) => {
  const { started, add, endAll } = queueOf(ONE);
  const all = ['a1', 'a1', 'a1', 'a1', 'a1', 'a2', 'a2', 'b1', 'b1', 'c1'].map((name) => add(name));
  await turn();
  await endAll();
  await Promise.all(all);
  t.strictSame(started, ['a1', 'a1', 'b1', 'c1', 'a2', 'b1', 'a1', 'a2', 'a1', 'a1']);
});

test('as many run at one time as may, of one key and one workspace too', async (t) => {
  const { started, add, endOne, endAll } = queueOf({ key: 1, workspace: 2, all: 3 });
  const all = ['a1', 'a1', 'a2', 'a3', 'b1', 'c1'].map((name) => add(name));
  await turn();
  t.strictSame(started, ['a1', 'a2', 'b1']);
  await endOne();
  t.strictSame(started.slice(3), ['a1'], 'of the workspaces that wait, the first that may');
  await endAll();
  t.equal((await Promise.all(all)).length, 6);
});

test('as many wait as may, and one more is refused at once', async (t) => {
  const bounds = { key: 2, workspace: 3, all: 4 };
  const { queue, add, endAll } = queueOf(ONE, bounds);
  const full = (share: keyof Shares) => ({ share, limit: bounds[share] }) as never;
  const all = ['x1', 'a1', 'a1'].map((name) => add(name));
  await t.rejects(add('a1'), full('key'));
  all.push(add('a2'));
  await t.rejects(add('a3'), full('workspace'));
  all.push(add('b1'));
  await t.rejects(add('c1'), full('all'));
  await t.rejects(add('a1'), full('key'), 'its own limit is named first');
  await t.rejects(add('c1'), QueueFull);
  t.equal(queue.size, 4);
  await endAll();
  await Promise.all(all);
  t.equal(queue.size, 0);
  const again = add('a1');
  await endAll();
  t.equal(await again, 'a1');
});

test('work that is aborted while it waits takes no turn and frees its place', async (t) => {
  const { queue, started, add, endAll } = queueOf(ONE, { key: 1, workspace: 1, all: 1 });
  const first = add('a1');
  const leaves = new AbortController();
  const left = add('b1', leaves.signal);
  leaves.abort(new Error('gone'));
  await t.rejects(left, { message: 'gone' });
  t.equal(queue.size, 0);
  await t.rejects(add('b1', leaves.signal), { message: 'gone' }, 'before it waits');
  const next = add('c1');
  await endAll();
  t.strictSame([await first, await next], ['a1', 'c1']);
  t.strictSame(started, ['a1', 'c1']);
});

test('work that fails gives its place to the next', async (t) => {
  const queue = new FairQueue(ONE, MANY);
  const failing = queue.run(owner('a1'), () => Promise.reject(new Error('it fails')));
  const next = queue.run(owner('a1'), async () => 'next');
  await t.rejects(failing, { message: 'it fails' });
  t.equal(await next, 'next');
});
