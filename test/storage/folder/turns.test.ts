import { test } from 'tap';
import { emptyStore } from '../../support/store/opened.js';

const at = (number: number) => ({ at: number, amount: '1' });

/** What an iteration gives, and in how many turns of the event loop. */
async function inTurns<Item>(items: AsyncIterable<Item>) {
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  over = true;
  return { all, turns };
}

for (const count of [0, 1, 63, 64, 65, 128, 1_024, 1_025, 2_500]) {
  test(`${count} entries are read in turns of 64, their keys in turns of 1,024`, async (t) => {
    const store = emptyStore(t);
    const grants = store.table('grants');
    store.change(() => {
      for (let number = 0; number < count; number += 1) grants.put(['b', number], at(number));
      grants.put(['a', 7], at(7));
      grants.put(['c', 0], at(0));
    });
    const entries = await inTurns(grants.entriesInTurns('b'));
    t.strictSame(entries.all, [...grants.entries('b')]);
    t.ok(entries.turns >= Math.floor(count / 64), `${entries.turns} turns`);
    const keys = await inTurns(grants.keysInTurns('b'));
    t.strictSame(keys.all, [...grants.keys('b')]);
    t.ok(keys.turns >= Math.floor(count / 1_024));
    t.strictSame(grants.lastKey('b'), count === 0 ? undefined : ['b', count - 1]);
    t.strictSame(grants.lastKey(), ['c', 0]);
    t.strictSame(grants.lastKey('d'), undefined);
    const from = Math.floor(count / 2);
    t.strictSame([...grants.entriesFrom(['b'], from)], [...grants.entries('b')].slice(from));
  });
}

test('entries removed or added while a table is read in turns: all others are read once', async (t) => {
  const store = emptyStore(t);
  const grants = store.table('grants');
  store.change(() => {
    for (let number = 0; number < 300; number += 1) grants.put(['a', number * 2], at(number));
  });
  const found: number[] = [];
  for await (const { key } of grants.entriesInTurns('a')) {
    found.push(key[1] as number);
    if (found.length === 64) {
      await store.write([
        grants.removal(['a', 100], ['a', 200]),
        grants.write(['a', 401], at(0)),
        grants.write(['a', 1], at(0)),
      ]);
    }
  }
  const expected = Array.from({ length: 300 }, (_, number) => number * 2).filter((n) => n < 128 || n >= 200);
  t.strictSame(
    found,
    [...expected, 401].sort((one, other) => one - other),
  );
});

test('a removal removes the keys of its range and no others', async (t) => {
  const store = emptyStore(t);
  const grants = store.table('grants');
  store.change(() => {
    for (const name of ['a', 'b', 'c']) for (let n = 0; n < 5; n += 1) grants.put([name, n], at(n));
  });
  await store.write([grants.removal(['b', 1], ['b', 4]), grants.write(['b', 2], at(2))]);
  t.strictSame(
    [...grants.keys('b')].map(([, n]) => n),
    [0, 2, 4],
  );
  t.equal([...grants.keys()].length, 13);
  await store.write([grants.removal(['b', 0], ['b', 1_000])]);
  t.strictSame([...grants.keys('b')], []);
  t.equal([...grants.keys()].length, 10);
});
