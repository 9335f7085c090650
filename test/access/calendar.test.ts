import { test } from 'tap';
import { afterDays, endOfDay, endOfNextDay, lastDayOf, parseDay } from '../../src/access/dates.js';
import { dayOf, monthBefore, monthOf } from '../../src/access/index.js';

const at = (text: string) => Date.parse(text);
/** One far behind UTC, one far ahead of it, one that turns its clocks in the middle of a day. */
const ZONES = ['UTC', 'Pacific/Pago_Pago', 'Pacific/Kiritimati', 'America/New_York'];

for (const zone of ZONES) {
  test(`days and months are UTC’s where the machine’s are of ${zone}`, async (t) => {
    const own = process.env.TZ;
    t.teardown(() => {
      if (own === undefined) delete process.env.TZ;
      else process.env.TZ = own;
    });
    process.env.TZ = zone;
    for (const [instant, day] of [
      ['2026-12-31T23:59:59.999Z', '2026-12-31'],
      ['2027-01-01T00:00:00.000Z', '2027-01-01'],
      ['2026-11-30T23:59:59.999Z', '2026-11-30'],
      ['2028-02-28T23:59:59.999Z', '2028-02-28'],
      ['2028-02-29T00:00:00.000Z', '2028-02-29'],
      ['2028-03-01T00:00:00.000Z', '2028-03-01'],
      ['2027-03-01T00:00:00.000Z', '2027-03-01'],
      ['1970-01-01T00:00:00.000Z', '1970-01-01'],
    ] as const) {
      t.equal(dayOf(at(instant)), day, instant);
      t.equal(monthOf(at(instant)), day.slice(0, 7), instant);
    }
    // The next day has its end after 24 hours there too where clocks turn: on 8 March and 1 November 2026.
    for (const [instant, end] of [
      ['2026-03-07T12:00:00.000Z', '2026-03-08T23:59:59.999Z'],
      ['2026-10-31T12:00:00.000Z', '2026-11-01T23:59:59.999Z'],
      ['2026-11-21T00:00:00.000Z', '2026-11-22T23:59:59.999Z'],
      ['2026-11-21T23:59:59.999Z', '2026-11-22T23:59:59.999Z'],
      ['2026-12-30T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
      ['2026-12-31T00:00:00.000Z', '2027-01-01T23:59:59.999Z'],
      ['2028-02-27T12:00:00.000Z', '2028-02-28T23:59:59.999Z'],
      ['2028-02-28T12:00:00.000Z', '2028-02-29T23:59:59.999Z'],
      ['2027-02-28T12:00:00.000Z', '2027-03-01T23:59:59.999Z'],
    ] as const) {
      t.equal(endOfNextDay(at(instant)), at(end), instant);
    }
    t.equal(endOfDay(parseDay('2028-02-29') as number), at('2028-02-29T23:59:59.999Z'));
    t.equal(
      afterDays(at('2027-12-31T06:00:00.000Z'), 365),
      at('2028-12-30T06:00:00.000Z'),
      'over a leap day',
    );
  });
}

test('parseDay: the first millisecond of a day there is', async (t) => {
  for (const day of ['2026-11-21', '2028-02-29', '2000-02-29', '2026-12-31', '0001-01-01', '9999-12-31']) {
    t.equal(parseDay(day), at(`${day}T00:00:00.000Z`), day);
  }
  for (const text of [
    '2027-02-29',
    '2100-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-13-01',
    '2026-11-00',
    '2026-11-32',
    '2026-1-1',
    '26-11-21',
    '2026-11-21T00:00',
    '2026-11-21 ',
    '2026/11/21',
    '+012026-11-21',
    '',
  ]) {
    t.equal(parseDay(text), null, JSON.stringify(text));
  }
});

test('the days of 400 years are consecutive', async (t) => {
  let day = parseDay('2000-01-01') as number;
  let count = 0;
  for (; dayOf(day) !== '2400-01-01'; day = endOfDay(day) + 1, count += 1) {
    if (parseDay(dayOf(day)) !== day) t.fail(dayOf(day));
    if (endOfNextDay(day) !== endOfDay(endOfDay(day) + 1)) t.fail(dayOf(day));
  }
  t.equal(count, 146_097);
});

test('the last day of a month, and the month before an instant', async (t) => {
  for (const [month, day] of [
    ['2026-02', '2026-02-28'],
    ['2028-02', '2028-02-29'],
    ['2026-11', '2026-11-30'],
    ['2026-12', '2026-12-31'],
    ['2026-13', null],
    ['2026-00', null],
    ['2026', null],
    ['', null],
  ] as const) {
    t.equal(lastDayOf(month), day, month);
  }
  t.equal(monthBefore(at('2026-12-01T00:00:00.000Z')), '2026-11');
  t.equal(monthBefore(at('2026-12-31T23:59:59.999Z')), '2026-11');
  t.equal(monthBefore(at('2026-01-15T00:00:00.000Z')), '2025-12');
});
