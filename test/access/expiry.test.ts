import { test } from 'tap';
import { afterDays } from '../../src/access/dates.js';
import { readExpiry } from '../../src/access/key-changes.js';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');

test('readExpiry: never, days from now, the end of a UTC day', async (t) => {
  t.equal(readExpiry('never', NOW), null);
  t.equal(readExpiry('1', NOW), Date.parse('2026-11-22T12:00:00.000Z'));
  t.equal(readExpiry('36500', NOW), afterDays(NOW, 36_500));
  t.equal(readExpiry('2026-11-21', NOW), Date.parse('2026-11-21T23:59:59.999Z'), 'today');
  t.equal(readExpiry('2028-02-29', NOW), Date.parse('2028-02-29T23:59:59.999Z'));
});

test('readExpiry: anything else, or an expiry in the past, is refused', async (t) => {
  for (const text of [
    '0',
    '36501',
    '-1',
    '1.5',
    '',
    'soon',
    'Never',
    '2027-02-29',
    '2027-13-01',
    '2027-1-1',
  ]) {
    t.throws(
      () => readExpiry(text, NOW),
      { name: 'AccessError', message: /^expires: ".*" is not never/ },
      text,
    );
  }
  t.throws(() => readExpiry('2026-11-20', NOW), {
    name: 'AccessError',
    message: /^expires: .* is in the past\.$/,
  });
});
