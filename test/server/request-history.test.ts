import { test } from 'tap';
import { ROUTES } from '../../src/api/index.js';
import type { Engines } from '../../src/server/engines.js';
import { ResourceHistory } from '../../src/server/operator/api/resource-history.js';
import { showHistory, TOP_WORKSPACES } from '../../src/server/operator/api/show-history.js';
import {
  HISTORY_POINTS_MAX,
  HISTORY_STEP_MS,
  HISTORY_WORKSPACES_MAX,
  RequestHistory,
} from '../../src/server/request-history.js';
import { NOON } from '../support/access/opened.js';
import { fakeClock } from '../support/fake-clock.js';

const ENTRY = { method: 'POST', path: '/v1/decide', status: 200, durationMs: 10, workspace: 'w' };

test('requests are counted by minute, with their errors and percentiles of their time', (t) => {
  const clock = fakeClock(NOON);
  const history = new RequestHistory(clock);
  t.strictSame(history.points(), []);
  for (let ms = 1; ms <= 1_000; ms += 1) history.count({ ...ENTRY, durationMs: ms });
  history.count({ ...ENTRY, status: 402, durationMs: 5_000 });
  history.count({ ...ENTRY, status: 503, durationMs: 5_000 });
  clock.advance(HISTORY_STEP_MS + 5_000);
  history.count({ ...ENTRY, path: '/v1/batches', status: 503 });
  const [first, second, ...others] = history.points();
  t.strictSame(others, []);
  t.match(first, { at: NOON, requests: 1_002, refused: 1, failed: 1 });
  for (const [share, exact] of [
    ['p50', 500],
    ['p95', 950],
    ['p99', 990],
  ] as const) {
    const found = first?.latency?.[share] ?? 0;
    t.ok(found >= exact && found <= exact * 1.2, `${share}: ${found}`);
  }
  t.match(second, { at: NOON + HISTORY_STEP_MS, requests: 1, failed: 1, latency: null });
  t.end();
});

test('decisions and submitted batches count, and no other route', (t) => {
  const history = new RequestHistory(fakeClock());
  for (const { method, path } of ROUTES) {
    const before = history.total;
    history.count({ ...ENTRY, method, path });
    const counts =
      method === 'POST' && (/decide$|systemone$|decisions$/.test(path) || path === '/v1/batches');
    t.equal(history.total - before, counts ? 1 : 0, `${method} ${path}`);
  }
  t.end();
});

test('the largest and the smallest time have a class', (t) => {
  const history = new RequestHistory(fakeClock());
  history.count({ ...ENTRY, durationMs: 0 });
  t.match(history.points()[0]?.latency, { p50: 1, p99: 1 });
  history.count({ ...ENTRY, durationMs: 1e12 });
  history.count({ ...ENTRY, durationMs: 1e12 });
  t.ok((history.points()[0]?.latency?.p50 ?? 0) > 800_000);
  t.end();
});

test('after the clock was set back, each step is shown at a different time', (t) => {
  const clock = fakeClock(NOON);
  const history = new RequestHistory(clock);
  const engines = () => ({ catalog: { builds: [] } }) as unknown as Engines;
  const resources = new ResourceHistory(clock, engines);
  t.teardown(() => resources.stop());
  resources.start();
  const minute = () => {
    history.count(ENTRY);
    clock.advance(HISTORY_STEP_MS);
  };
  for (let at = 0; at < 3; at += 1) minute();
  clock.set(clock.now() - 2 * HISTORY_STEP_MS);
  for (let at = 0; at < 2; at += 1) minute();
  const shown = showHistory(history, resources, clock);
  const minutesAgo = ({ time }: { time: string }) =>
    (Date.parse(shown.time) - Date.parse(time)) / HISTORY_STEP_MS;
  t.strictSame(shown.requests.map(minutesAgo), [5, 4, 3, 2, 1]);
  t.strictSame(shown.resources.map(minutesAgo), [5, 4, 3, 2, 1, 0]);
  // Set forward, as after a suspension: the first step has the time that it had, and the others follow it.
  clock.set(clock.now() + 10 * HISTORY_STEP_MS);
  t.strictSame(
    history.points().map(({ at }) => (at - NOON) / HISTORY_STEP_MS),
    [0, 1, 2, 3, 4],
  );
  t.end();
});

test('after the clock was set back and then corrected, each step is shown at a different time', (t) => {
  const clock = fakeClock(NOON);
  const history = new RequestHistory(clock);
  const resources = new ResourceHistory(clock, () => ({ catalog: { builds: [] } }) as unknown as Engines);
  t.teardown(() => resources.stop());
  resources.start();
  const minutes = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      history.count(ENTRY);
      clock.advance(HISTORY_STEP_MS);
    }
  };
  minutes(10);
  clock.set(clock.now() - 5 * HISTORY_STEP_MS);
  minutes(3);
  clock.set(clock.now() + 5 * HISTORY_STEP_MS);
  minutes(2);
  const { requests, resources: measured } = showHistory(history, resources, clock);
  const minutesOf = (points: readonly { readonly time: string }[]) =>
    points.map(({ time }) => (Date.parse(time) - NOON) / HISTORY_STEP_MS);
  t.strictSame(minutesOf(requests), [...Array(15).keys()]);
  t.strictSame(minutesOf(measured), [...Array(16).keys()]);
  t.end();
});

test('one hour is kept, and a bounded number of workspaces', (t) => {
  const clock = fakeClock(NOON);
  const history = new RequestHistory(clock);
  for (let at = 0; at < HISTORY_POINTS_MAX; at += 1) {
    history.count(ENTRY);
    clock.advance(HISTORY_STEP_MS);
  }
  t.equal(history.points().length, HISTORY_POINTS_MAX - 1, 'the first is older than an hour');
  history.count(ENTRY);
  t.equal(history.points().length, HISTORY_POINTS_MAX);
  for (let at = 0; at <= HISTORY_WORKSPACES_MAX; at += 1) history.count({ ...ENTRY, workspace: `w${at}` });
  t.equal(history.points().at(-1)?.workspaces.size, HISTORY_WORKSPACES_MAX);
  t.equal(history.points().at(-1)?.requests, HISTORY_WORKSPACES_MAX + 2);
  const shown = showHistory(history, { all: [] }, clock);
  t.equal(shown.top_workspaces.length, TOP_WORKSPACES);
  t.strictSame(shown.top_workspaces[0], { workspace: 'w', requests: HISTORY_POINTS_MAX });
  clock.advance(HISTORY_POINTS_MAX * HISTORY_STEP_MS);
  t.strictSame(history.points(), []);
  t.equal(history.total, HISTORY_POINTS_MAX + HISTORY_WORKSPACES_MAX + 2);
  t.end();
});
