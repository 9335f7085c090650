import { test } from 'tap';
import { dayOf } from '../../src/access/index.js';
import { readExpiry } from '../../src/access/key-changes.js';
import { openStore } from '../../src/storage/folder/index.js';
import { createKey, createWorkspace, rollKey } from '../support/access/folder-changes.js';
import { dataFolder } from '../support/data-folder.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const clock = {
  now: () => NOW,
  settled: () => NOW,
  monotonic: () => 0,
  certainFor: () => Infinity,
  after: () => () => {},
};

test('no key, created or rolled, outlives the year 9999, the last that headers can express', async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  createWorkspace(store, clock, 'acme');
  const last = readExpiry('9999-12-31', NOW) as number;
  const { key } = createKey(store, clock, 'acme', last);
  t.equal(dayOf(key.expires as number), '9999-12-31');
  t.throws(() => createKey(store, clock, 'acme', last + 1), { name: 'AccessError', message: /^expires: / });
  const later = { ...clock, now: () => NOW + 1 };
  const rolled = rollKey(store, later, key.id).key;
  t.equal(rolled.expires, last, 'its lifetime begins anew, as far as there is a calendar');
});
