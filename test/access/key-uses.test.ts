import { test } from 'tap';
import { KeyUses, USES_PER_WRITE_MAX } from '../../src/access/key-uses.js';
import { FolderCalendar } from '../../src/storage/folder/calendar.js';
import { FolderKeyUses, lastUses } from '../../src/storage/folder/directory/key-uses.js';
import { FolderAccess } from '../../src/storage/folder/ledger/folder-access.js';
import { KEEP_TIME_EVERY_MS } from '../../src/storage/folder/lmdb/kept-time.js';
import { dealings, NOON } from '../support/access/opened.js';
import { fakeClock } from '../support/fake-clock.js';
import { emptyStore } from '../support/store/opened.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;

test('a key is stored once an hour, however often it is used', (t) => {
  const uses = new KeyUses();
  for (let at = 0; at < 1_000; at += 1) uses.note('a', NOON + at);
  uses.note('b', NOON + HOUR_MS - 1);
  const first = uses.pending();
  t.strictSame(
    [...first],
    [
      ['a', NOON],
      ['b', NOON],
    ],
  );
  t.strictSame(uses.pending(), first, 'until it is stored');
  uses.note('a', NOON + HOUR_MS);
  uses.stored(first);
  t.strictSame([...uses.pending()], [['a', NOON + HOUR_MS]], 'a later use is not lost');
  uses.stored(uses.pending());
  uses.note('a', NOON + HOUR_MS + 1);
  t.equal(uses.pending().size, 0);
  uses.note('a', NOON);
  t.strictSame([...uses.pending()], [['a', NOON]], 'the calendar was corrected');
  t.end();
});

test('one transaction stores a bounded number of keys, the next one the others', (t) => {
  const uses = new KeyUses();
  for (let at = 0; at <= USES_PER_WRITE_MAX; at += 1) uses.note(`k${at}`, NOON);
  const first = uses.pending();
  t.equal(first.size, USES_PER_WRITE_MAX);
  uses.stored(first);
  t.strictSame([...uses.pending().keys()], [`k${USES_PER_WRITE_MAX}`]);
  t.end();
});

test('the last use of a key is stored with the time of the server, and outlives it', async (t) => {
  const store = emptyStore(t);
  const clock = fakeClock(NOON);
  const log = { warn() {}, error() {} } as never;
  const calendar = new FolderCalendar(store, clock, log);
  const uses = new KeyUses();
  calendar.join(new FolderKeyUses(store, uses));
  const access = new FolderAccess(store, clock, (error) => t.fail(String(error)), uses);
  const { workspace } = dealings(store, clock, access);
  const { key, token } = workspace('acme', 0n);
  const other = workspace('other', 0n);
  await calendar.start();
  const authenticate = (given: string) => access.authenticate([`Bearer ${given}`]);
  let commits = 0;
  store.watchCommits(() => {
    commits += 1;
    return () => {};
  });
  authenticate(token);
  t.throws(() => authenticate(`dk_${'a'.repeat(40)}`));
  t.strictSame([...lastUses(store)], [], 'not yet');
  const hour = NOON - (NOON % HOUR_MS);
  clock.advance(KEEP_TIME_EVERY_MS);
  await until(() => lastUses(store).size > 0);
  t.strictSame([...lastUses(store)], [[key.id, hour]]);
  for (let at = 0; at < 5; at += 1) {
    authenticate(token);
    clock.advance(KEEP_TIME_EVERY_MS);
  }
  authenticate(other.token);
  await calendar.stop();
  t.ok(commits <= 7, 'none but those of the calendar');
  t.strictSame([...lastUses(store, [other.key.id, 'key_unknown'])], [[other.key.id, hour]]);
});
