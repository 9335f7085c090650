import { test } from 'tap';
import { readTraceParent } from '../../src/http/trace-parent.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const read = (...values: readonly string[]) =>
  readTraceParent([['host', 'a'], ...values.map((value) => ['traceparent', value] as const)]);

test('a valid traceparent has a trace, a span and a flag', async (t) => {
  const expected = { traceId: TRACE, parentId: SPAN, sampled: true };
  t.strictSame(read(`00-${TRACE}-${SPAN}-01`), expected);
  t.strictSame(read(` 00-${TRACE}-${SPAN}-03 `), expected, 'other flags are ignored');
  t.strictSame(read(`00-${TRACE}-${SPAN}-00`), { ...expected, sampled: false });
  t.strictSame(read(`00-${TRACE}-${SPAN}-fe`), { ...expected, sampled: false });
  for (const later of ['01', 'fe']) {
    t.strictSame(read(`${later}-${TRACE}-${SPAN}-01`), expected, later);
    t.strictSame(
      read(`${later}-${TRACE}-${SPAN}-01-more-${'x'.repeat(1_000)}`),
      expected,
      `${later} with more fields`,
    );
  }
});

test('a header that is not valid, or not alone, is ignored', async (t) => {
  for (const value of [
    '',
    TRACE,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-011`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-0g`,
    `0-${TRACE}-${SPAN}-01`,
    `000-${TRACE}-${SPAN}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `0x-${TRACE}-${SPAN}-01`,
    `01-${TRACE}-${SPAN}-01more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN.toUpperCase()}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00-${TRACE}-${SPAN.slice(1)}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `00_${TRACE}_${SPAN}_01`,
    `00-${TRACE}-${SPAN}-01\u0000`,
  ]) {
    t.equal(read(value), undefined, JSON.stringify(value));
  }
  t.equal(read(), undefined, 'no header');
  const valid = `00-${TRACE}-${SPAN}-01`;
  t.equal(read(valid, valid), undefined, 'two headers');
});
