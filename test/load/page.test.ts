import { test } from 'tap';
import { foundText, type LoadResult, loadPage, notes } from '../../src/load/index.js';
import { FOUND, latency, result, step } from '../support/load/result.js';

const NONE = { ...latency(1), count: 0, mean: null, p50: null, p90: null, p95: null, p99: null, max: null };

test('the page has the curve and every figure', async (t) => {
  const markup = await loadPage(result([step(20, 60), step(10, 43)]));
  t.match(markup, /^<!doctype html>/);
  t.match(markup, 'http://decide.example/v1/systemone, stub-20260101, 2026-11-22');
  t.equal(markup.match(/<svg /g)?.length, 2, 'latency and responses by rate');
  for (const name of ['p50', 'p95', 'p99']) t.match(markup, `>${name}</text>`, 'legend');
  t.ok(markup.indexOf('>10</th>') < markup.indexOf('>20</th>'), 'rates ascend');
  for (const value of ['43.0', '86.0', '129', '172', '215', '60.0', '4400', '12\u00a0%', '420']) {
    t.match(markup, new RegExp(`<td[^>]*>${value}</td>`), value);
  }
  t.match(markup, 'Latency in ms at 20 requests/s');
  t.match(markup, '<dt>one_state</dt><dd>16 yes/no questions about 6,000 characters of code');
  t.notMatch(markup, '<dt>sixteen</dt>');
  t.notMatch(markup, /<script|https?:\/\/(?!decide\.example|www\.w3\.org)/, 'self-contained');
});

test('the page names the result of a search, failures and warnings', async (t) => {
  const failed = step(34, 200, {
    ended: 'missed_target',
    failed: 21,
    errors: [
      { status: 503, type: 'overloaded', count: 20 },
      { status: null, type: 'timeout', count: 1 },
    ],
    warnings: ['the client was busy 95 % of the time.'],
  });
  const markup = await loadPage(result([step(17, 60), failed], { find: FOUND }));
  t.match(markup, 'Highest rate with p95 ≤ 250 ms: 17 requests/s; 17.5/s misses it (8 steps).');
  t.match(markup, '34/s: 20 failed: 503 overloaded');
  t.match(markup, 'Warning: 34/s: the client was busy 95\u00a0% of the time.');
  t.match(markup, 'misses the target, 20 s');
  t.match(markup, 'Latency in ms at 17 requests/s', 'shapes are those of the rate that was found');
  t.match(markup, '<caption>Failed requests</caption>');
});

test('texts of the server are escaped', async (t) => {
  const markup = await loadPage(
    result([step(5, 1)], { server: { model: '<img src=x>', lone_ms: 1 }, url: 'http://h/a&b' }),
  );
  t.notMatch(markup, '<img');
  t.match(markup, 'http://h/a&amp;b, &lt;img src=x&gt;');
});

test('a run without a measured request has a page', async (t) => {
  const nothing = step(5, 1, {
    latency_ms: NONE,
    latency_ms_by_shape: {},
    answered: 0,
    ended: 'interrupted',
  });
  for (const steps of [[], [nothing]]) {
    t.match(
      await loadPage(result(steps, { interrupted: true })),
      'Interrupted: the last step is not complete.',
    );
  }
});

test('a rate at which every request failed is shown', async (t) => {
  const failed = step(30, 1, {
    latency_ms: NONE,
    latency_ms_by_shape: {},
    ...{ answered: 0, failed: 777, answered_per_second: 0 },
    errors: [{ status: 503, type: 'overloaded', count: 777 }],
  });
  const markup = await loadPage(result([step(10, 43), failed]));
  t.equal(markup.match(/>30<\/th>/g)?.length, 3, 'latencies, work and failures');
  t.match(markup, />777<\/td>/);
});

test('the ends of a search', async (t) => {
  const text = (own: Partial<NonNullable<LoadResult['find']>>) => foundText({ ...FOUND, ...own });
  t.match(
    text({ rate: null, ended: 'none_passes' }),
    'No rate meets p95 ≤ 250 ms, not even 17.5/s, where requests hardly queue.',
  );
  t.match(text({ rate: null, failing: null, ended: 'interrupted' }), 'No measured rate meets p95 ≤ 250 ms.');
  t.match(
    text({ failing: null, ended: 'rate_limit' }),
    '17 requests/s (8 steps). The search ends at this rate.',
  );
  t.match(text({ ended: 'interrupted' }), /interrupted\.$/);
});

test('hints for failures that the caller can prevent', async (t) => {
  const limited = step(5, 1, { errors: [{ status: 429, type: 'rate_limited', count: 3 }] });
  const flood = step(9, 1, { errors: [{ status: null, type: 'not_sent', count: 3 }] });
  t.strictSame(notes(result([limited, flood])), [
    ['5/s: 3 failed: 429 rate_limited', '9/s: 3 failed: no response, not_sent'],
    [
      'rate_limited: raise the limits of the API key for this measurement.',
      'not_sent: the client keeps at most 20,000 requests outstanding.',
    ],
  ]);
  t.strictSame(notes(result([step(5, 1)])), []);
});
