import { test } from 'tap';
import { FolderReader, type ReadCall } from '../../../../../src/storage/folder/batches/reading/reader.js';
import { turn } from '../../../../support/paced-engine.js';

/** A reader whose thread does a task when it is told to, in the order of a queue as threads have one. */
function start() {
  const given: string[] = [];
  const waiting: Array<() => void> = [];
  const run = ({ task }: ReadCall) =>
    new Promise<void>((resolve) => {
      given.push((task as unknown as { name: string }).name);
      waiting.push(resolve);
    });
  const reader = new FolderReader(run);
  const want = (owner: string, name: string) => {
    const [workspace = '', key = ''] = owner.split('/');
    void reader.read({ workspace, key }, 'list', { name } as never);
  };
  const lines = (name: string) => void reader.chunk({ name } as never);
  const finish = async () => {
    waiting.shift()?.();
    await turn();
  };
  return { given, waiting, want, lines, finish };
}

test('keys take turns at reading, however many downloads a key has', async (t) => {
  const { given, want, finish } = start();
  for (let at = 0; at < 500; at += 1) want('w/a', `a${at}`);
  want('w/b', 'b0');
  want('v/c', 'c0');
  for (let at = 0; at < 6; at += 1) await finish();
  t.ok(given.indexOf('b0') <= 3, given.join(' '));
  t.ok(given.indexOf('c0') <= 3, given.join(' '));
});

test('the thread reads one piece for callers at a time; the runner’s lines wait for at most one piece', async (t) => {
  const { given, waiting, want, lines, finish } = start();
  for (let at = 0; at < 10; at += 1) want('w/a', `a${at}`);
  await turn();
  t.equal(waiting.length, 1);
  lines('line');
  t.strictSame(given, ['a0', 'line'], 'behind the piece that is being read');
  await finish();
  t.strictSame(given, ['a0', 'line', 'a1']);
  await finish();
  await finish();
  t.strictSame(given, ['a0', 'line', 'a1', 'a2']);
});
