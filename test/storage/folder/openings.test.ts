import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { lockFile } from '../../../src/base/index.js';
import { openStore } from '../../../src/storage/folder/index.js';
import { scaled } from '../../support/scale.js';
import { emptyStore } from '../../support/store/opened.js';

const OPENER = new URL('../../support/store/opens-again.js', import.meta.url);
/** Beside three openers on two cores, a store without the lock lost one of about 400. */
const COMMITS = scaled({ short: 200, long: 1_200 });
const OPENERS = 2;
/** A commit takes about 1 ms, the start of a process and an opening about 300 ms. */
const LOCKED_MS = 1_000;

const row = (number: number) => ({ at: number, amount: '1' });

async function opener(t: Test, folder: string) {
  const child = fork(OPENER, [folder]);
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

test(`${COMMITS} commits beside processes that open the folder: none is lost`, async (t) => {
  const store = emptyStore(t);
  const { folder } = store;
  const openers = await Promise.all(Array.from({ length: OPENERS }, () => opener(t, folder)));
  let openings = 0;
  for (const child of openers) child.on('message', () => (openings += 1));
  const grants = store.table('grants');
  for (let number = 1; number <= COMMITS; number += 1) {
    // Both writers of the program: the thread of the server, and administration.
    if (number % 10 === 0) store.change(() => grants.put(['w', number], row(number)));
    else await store.write([grants.write(['w', number], row(number))]);
  }
  for (const child of openers) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  store.refresh();
  t.strictSame(
    [...grants.entries('w')].map(({ key }) => key[1]),
    Array.from({ length: COMMITS }, (_, at) => at + 1),
  );
  t.ok(openings > 0, `${openings} openings`);
  await store.close();
});

test('neither an opening nor a commit ends while the folder is locked', async (t) => {
  const store = emptyStore(t);
  await store.startWriter();
  const unlock = lockFile(join(store.folder, 'store', 'commit.lock'));
  const grants = store.table('grants');
  const ended: string[] = [];
  const commit = store.write([grants.write(['w', 1], row(1))]).then(() => ended.push('commit'));
  const opening = opener(t, store.folder).then((child) => {
    ended.push('opening');
    child.kill('SIGKILL');
  });
  await new Promise((resolve) => setTimeout(resolve, LOCKED_MS));
  store.refresh();
  t.strictSame([...grants.entries('w')], []);
  t.strictSame(ended, []);
  unlock?.();
  await Promise.all([commit, opening]);
  t.strictSame(ended.sort(), ['commit', 'opening']);
  await store.close();
});

test('a process that is killed while it has the lock leaves it free', async (t) => {
  const store = emptyStore(t);
  const grants = store.table('grants');
  for (let number = 1; number <= scaled({ short: 5, long: 8 }); number += 1) {
    const child = await opener(t, store.folder);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await store.write([grants.write(['w', number], row(number))]);
    store.refresh();
    t.strictSame(grants.get('w', number), row(number));
  }
  await openStore(store.folder).close();
  await store.close();
});
