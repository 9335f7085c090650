import { test } from 'tap';
import { endAll } from '../../src/base/index.js';

test('every step runs, one after another, and the first failure is thrown', async (t) => {
  const done: string[] = [];
  const step =
    (name: string, fails = false) =>
    async () => {
      await Promise.resolve();
      done.push(name);
      if (fails) throw new Error(name);
    };
  await endAll([step('a'), step('b')]);
  t.strictSame(done.splice(0), ['a', 'b']);
  const sync = () => {
    throw new Error('c');
  };
  await t.rejects(endAll([step('a'), sync, step('b', true), step('d')]), { message: 'c' });
  t.strictSame(done, ['a', 'b', 'd']);
});
