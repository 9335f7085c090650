import { test } from 'tap';
import { endOfDay, parseDay } from '../../src/access/dates.js';
import { keyState } from '../../src/access/keys.js';
import { getKey } from '../../src/storage/folder/administration/rows.js';
import { createKey, rollKey } from '../support/access/folder-changes.js';
import { opened, thrown } from '../support/access/opened.js';

const at = (text: string) => Date.parse(text);

for (const [when, now, end] of [
  ['in the middle of a month', '2026-06-15T12:00:00.000Z', '2026-06-16T23:59:59.999Z'],
  ['in the first millisecond of a day', '2026-06-15T00:00:00.000Z', '2026-06-16T23:59:59.999Z'],
  ['in the last millisecond of a day', '2026-06-15T23:59:59.999Z', '2026-06-16T23:59:59.999Z'],
  ['on the last day of a month', '2026-06-30T12:00:00.000Z', '2026-07-01T23:59:59.999Z'],
  ['on the last day of a year', '2026-12-31T23:59:59.999Z', '2027-01-01T23:59:59.999Z'],
  ['on the day before a leap day', '2028-02-28T12:00:00.000Z', '2028-02-29T23:59:59.999Z'],
  ['on a leap day', '2028-02-29T12:00:00.000Z', '2028-03-01T23:59:59.999Z'],
  ['on 28 February of another year', '2027-02-28T12:00:00.000Z', '2027-03-01T23:59:59.999Z'],
] as const) {
  test(`contract 5 rule 8: a key rolled ${when} works until the end of the next day`, async (t) => {
    const { caller, clock, store, workspace } = opened(t, at(now));
    const old = workspace('acme', 0n);
    const next = rollKey(store, clock, old.key.id);
    t.not(next.token, old.token);
    t.equal(getKey(store, old.key.id).expires, at(end));
    clock.set(at(end));
    t.equal(caller(old.token).key.id, old.key.id, 'its last millisecond');
    clock.set(at(end) + 1);
    t.equal(
      thrown(() => caller(old.token)),
      'unauthorized',
    );
    t.equal(caller(next.token).key.id, next.key.id);
  });
}

test('a key that expires sooner keeps its expiry, and the new key gets the lifetime of the old one', async (t) => {
  const { clock, store, workspace } = opened(t);
  workspace('acme', 0n);
  const lifetimeMs = 90 * 60 * 1_000;
  const old = createKey(store, clock, 'acme', clock.now() + lifetimeMs);
  clock.advance(lifetimeMs);
  const next = rollKey(store, clock, old.key.id);
  t.equal(getKey(store, old.key.id).expires, old.key.expires);
  t.equal(next.key.created, clock.now());
  t.equal(next.key.expires, clock.now() + lifetimeMs);
  clock.advance(1);
  t.equal(keyState(getKey(store, old.key.id), { closed: null }, clock.now()), 'expired');
});

test('a key that never expires is rolled to another one, repeatedly', async (t) => {
  const { caller, clock, store, workspace } = opened(t);
  const first = workspace('acme', 0n);
  let last = first;
  for (let round = 0; round < 5; round += 1) last = rollKey(store, clock, last.key.id);
  t.equal(last.key.expires, null);
  t.equal(caller(first.token).key.id, first.key.id, 'all of them work until the next day ends');
});

const CALENDAR_END = Date.parse('9999-12-31T23:59:59.999Z');

test('a key that ends with the calendar is rolled to one that ends with it', async (t) => {
  const { clock, store, workspace } = opened(t);
  workspace('acme', 0n);
  const old = createKey(store, clock, 'acme', CALENDAR_END);
  clock.advance(1);
  t.equal(rollKey(store, clock, old.key.id).key.expires, CALENDAR_END);
});

test('createKey: an expiry in the past, or out of range, is refused', async (t) => {
  const { clock, store, workspace } = opened(t);
  workspace('acme', 0n);
  const refused = { name: 'AccessError', message: /^expires: / };
  for (const expires of [
    clock.now() - 1,
    CALENDAR_END + 1,
    clock.now() + 0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
    t.throws(() => createKey(store, clock, 'acme', expires), refused, String(expires));
  }
  t.equal(createKey(store, clock, 'acme', clock.now()).key.expires, clock.now());
  const today = endOfDay(parseDay('2026-06-15') as number);
  t.equal(createKey(store, clock, 'acme', today).key.expires, today);
  t.throws(() => createKey(store, clock, 'unknown'), {
    name: 'AccessError',
    message: 'workspace: unknown does not exist.',
  });
});
