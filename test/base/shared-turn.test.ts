import { test } from 'tap';
import { SharedTurn } from '../../src/base/index.js';

/** Work that ends when the test resolves it. */
function work() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end: () => end(), ended };
}

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('one at a time, whichever thread it belongs to', async (t) => {
  const memory = new SharedArrayBuffer(4);
  const begun: number[] = [];
  const works = [0, 1, 2].map(work);
  const runs = works.map(({ ended }, at) =>
    new SharedTurn(memory).run(async () => {
      begun.push(at);
      await ended;
      return at;
    }),
  );
  for (const [count] of works.entries()) {
    await settled();
    t.equal(begun.length, count + 1);
    works[begun[count] as number]?.end();
    t.equal(await runs[begun[count] as number], begun[count]);
  }
});

test('work that fails frees the turn; a dead thread’s turn is free after a reset', async (t) => {
  const turn = new SharedTurn();
  await t.rejects(
    turn.run(async () => {
      throw new Error('why');
    }),
    { message: 'why' },
  );
  t.equal(await turn.run(async () => 'next'), 'next');
  void turn.run(() => new Promise(() => {}));
  const waiting = turn.run(async () => 'after the reset');
  turn.reset();
  t.equal(await waiting, 'after the reset');
});
