import { test } from 'tap';
import { dayOf } from '../../../../src/access/index.js';
import { systemClock } from '../../../../src/base/index.js';
import { openStore, reconcile } from '../../../../src/storage/folder/index.js';
import { FolderAccess } from '../../../../src/storage/folder/ledger/folder-access.js';
import { createKey, createWorkspace, grantCredit } from '../../../support/access/folder-changes.js';
import { dataFolder } from '../../../support/data-folder.js';

const CHARGE = { model: 'm', kind: 'live', inputTokens: 10, price: 1_500n } as const;

test('a charge whose counter is damaged is not made at all: the ledger adds up when the counter is repaired', async (t) => {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  createWorkspace(store, systemClock, 'acme');
  grantCredit(store, systemClock, 'acme', 10n ** 12n);
  const { key, token } = createKey(store, systemClock, 'acme');
  const noon = Date.parse('2026-11-21T12:00:00Z');
  const clock = { ...systemClock, now: () => noon };
  const counter = store.table('usage').key('acme', dayOf(noon), key.id, 'm', 'live', '1500');
  await store.write([{ table: 'usage', key: counter, value: Buffer.from('{') }]);
  const access = new FolderAccess(store, clock, () => {});
  const caller = access.authenticate([`Bearer ${token}`]);
  const reservation = access.reserve(caller, CHARGE);
  t.throws(() => reservation.post(), { name: 'StoreError' });
  await store.write([{ table: 'usage', key: counter, value: null }]);
  access.reserve(caller, CHARGE).post();
  await access.flush();
  const { books, problems } = reconcile(store);
  t.strictSame(problems, []);
  t.equal(books[0]?.charged, 15_000n);
});
