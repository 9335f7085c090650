import { test } from 'tap';
import { LeaseBook } from '../../../../src/storage/database/ledger/lease-book.js';

const DEFECT = { name: 'SessionDefect' };

/** A book whose lease is 10, of which 4 are reserved. */
function bookWith(): LeaseBook {
  const book = new LeaseBook();
  book.settle(book.begin(false), { granted: 10n, reserved: 4n, isExact: false });
  return book;
}

test('the parts of a lease are its sum at every point of an exchange', async (t) => {
  const book = bookWith();
  const parts = () => [book.amount, book.free, book.reserved, book.unwritten];
  t.strictSame(parts(), [10n, 6n, 4n, 0n]);
  book.post(1n);
  const exchange = book.begin(true);
  t.strictSame(exchange, { lease: 10n, charged: 1n, returned: 6n, isWhole: true });
  t.ok(Object.isFrozen(exchange));
  book.release(2n);
  book.post(1n);
  t.strictSame(parts(), [10n, 2n, 0n, 2n], 'and 6 are set aside');
  book.settle(exchange, { granted: 3n, reserved: 2n, isExact: true });
  t.strictSame(parts(), [6n, 3n, 2n, 1n]);
  book.begin(true);
  t.equal(book.free, 0n);
  book.abandon();
  t.strictSame(parts(), [6n, 3n, 2n, 1n]);
  t.notOk(book.isEmpty);
});

test('what would make a part negative is a defect: at the limit and one past it', async (t) => {
  for (const change of ['release', 'post'] as const) {
    t.doesNotThrow(() => bookWith()[change](4n));
    t.throws(() => bookWith()[change](5n), DEFECT);
  }
  t.ok(bookWith().reserve(6n));
  t.notOk(bookWith().reserve(7n));
  t.throws(() => bookWith().reserve(-5n), DEFECT);
});

test('an exchange ends once, and reserves no more than it leases', async (t) => {
  const book = bookWith();
  const exchange = book.begin(false);
  t.throws(() => book.begin(false), DEFECT);
  t.throws(() => book.settle({ ...exchange }, { granted: 0n, reserved: 0n, isExact: false }), DEFECT);
  book.settle(exchange, { granted: 1n, reserved: 1n, isExact: false });
  t.throws(() => book.settle(exchange, { granted: 0n, reserved: 0n, isExact: false }), DEFECT);
  t.throws(() => book.abandon(), DEFECT);
  for (const reserved of [-1n, 2n]) {
    const other = bookWith();
    t.throws(() => other.settle(other.begin(false), { granted: 1n, reserved, isExact: false }), DEFECT);
  }
});
