import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { METRICS } from '../../src/telemetry/index.js';
import { checkTable } from '../support/generated-table.js';
import { promtool, promtoolMissing } from '../support/promtool.js';
import { ROOT } from '../support/sources.js';

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const RULES = 'deploy/alerts.yml';
const RULE_TESTS = 'test/deploy/alerts.yml';

/** An alert, from the file's own form: one field per line, annotations in double quotes. */
const alerts = [
  ...readText(RULES).matchAll(
    /- alert: (\w+)\n +expr: \|-\n +(.+)\n(?: +for: (\w+)\n)? +labels:\n +severity: (\w+)\n +annotations:\n +summary: "(.+)"\n +description: "(.+)"\n/g,
  ),
].map(([, name, expr, after, severity, summary, description]) => ({
  name: name as string,
  expr: expr as string,
  after: after ?? '–',
  severity,
  summary,
  description,
}));

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: ReadonlyArray<{ readonly expr: string }>;
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  /** Those of a row that is closed. */
  readonly panels?: readonly Panel[];
}
const dashboard = JSON.parse(readText('deploy/grafana-dashboard.json')) as { panels: readonly Panel[] };
const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
/** The dashboard's queries with values in the place of its variables. */
const queries = panels
  .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .map((expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'));

/** Labels that Prometheus adds. */
const ADDED = ['job', 'instance'];

/** The names of time series, and the labels of each. */
const series = new Map<string, ReadonlySet<string>>([['up', new Set(ADDED)]]);
for (const { name, kind, labels } of Object.values(METRICS)) {
  const own = [...ADDED, ...labels];
  if (kind !== 'histogram') series.set(name, new Set(own));
  else {
    for (const part of ['sum', 'count']) series.set(`${name}_${part}`, new Set(own));
    series.set(`${name}_bucket`, new Set([...own, 'le']));
  }
}

const selectors = (expr: string) =>
  [...expr.matchAll(/\b(decider_\w+|up)\b(?:\{([^}]*)\})?/g)].map(([, name = '', inside = '']) => ({
    name,
    labels: [...inside.matchAll(/(\w+) *(?:=~|!~|!=|=)/g)].map(([, label]) => label as string),
  }));

test('every metric of the alerts and the dashboard exists, with the labels by which it is selected', async (t) => {
  t.ok(alerts.length > 10 && queries.length > 20);
  t.equal(alerts.length, readText(RULES).match(/- alert:/g)?.length, 'every alert has the usual form');
  for (const expr of [...alerts.map((alert) => alert.expr), ...queries]) {
    const found = selectors(expr);
    t.ok(found.length > 0, expr);
    for (const { name, labels } of found) {
      const own = series.get(name);
      t.ok(own !== undefined, `${name} in ${expr}`);
      for (const label of labels) t.ok(own?.has(label), `${name} has no label ${label}: ${expr}`);
    }
    const known = new Set(found.flatMap(({ name }) => [...(series.get(name) ?? [])]));
    for (const [, list = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
      for (const label of list.split(/, */)) t.ok(known.has(label), `by ${label}: ${expr}`);
    }
  }
});

test('the dashboard shows every metric', async (t) => {
  const shown = new Set(queries.flatMap((expr) => selectors(expr).map(({ name }) => name)));
  for (const { name, kind } of Object.values(METRICS)) {
    const names = kind === 'histogram' ? [`${name}_sum`, `${name}_bucket`] : [name];
    t.ok(
      names.some((each) => shown.has(each)),
      name,
    );
  }
});

test('the panels of the dashboard have ids of their own and do not overlap', async (t) => {
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        t.notOk(taken.has(`${x} ${y}`), `${title} at ${x}, ${y}`);
        taken.add(`${x} ${y}`);
      }
    }
  }
});

/** What the queries of a panel measure, by the end of the names of its metrics. */
const measured = (expr: string) => {
  if (/histogram_quantile|_seconds\b|time\(\)/.test(expr) && !expr.includes('_seconds_sum')) return 'seconds';
  if (/ \/ |_seconds_sum/.test(expr)) return 'share or mean';
  return /_bytes\b/.test(expr) ? 'bytes' : 'number';
};

test('the queries of a panel measure the same, in a unit that shows it', async (t) => {
  for (const { title, targets = [], fieldConfig } of panels) {
    const kinds = new Set(targets.map(({ expr }) => measured(expr)));
    if (targets.length === 0) continue;
    t.equal(kinds.size, 1, `${title}: ${[...kinds].join(', ')}`);
    const { unit } = fieldConfig?.defaults ?? {};
    if (kinds.has('seconds')) t.equal(unit, 's', title);
    if (kinds.has('bytes')) t.equal(unit, 'bytes', title);
  }
});

test('the dashboard has the latency of requests by route and by model', async (t) => {
  for (const label of ['route', 'model']) {
    for (const quantile of [0.5, 0.95, 0.99]) {
      const start = `histogram_quantile(${quantile}, sum by (le, ${label}) (rate(decider_request_seconds_bucket`;
      t.ok(
        queries.some((expr) => expr.startsWith(start)),
        `${quantile} by ${label}`,
      );
    }
  }
});

test('every alert has a test in which it fires and one in which it does not', async (t) => {
  const text = readText(RULE_TESTS);
  for (const { name } of alerts) {
    const uses = [...text.matchAll(new RegExp(`alertname: ${name}\\n +exp_alerts:( \\[\\])?`, 'g'))];
    t.strictSame([...new Set(uses.map(([, none]) => none !== undefined))], [false, true], name);
  }
});

test('docs/metrics.md lists the alerts', async (t) => {
  const rows = alerts.map(
    ({ name, after, severity, summary, description }) =>
      `| \`${name}\` | ${severity} | ${after} | ${summary} | ${description} |`,
  );
  checkTable(t, 'docs/metrics.md', 'alerts', rows);
});

test('promtool accepts the rules, their tests, the configuration and the queries of the dashboard', {
  skip: promtoolMissing,
}, async (t) => {
  const folder = t.testdir({});
  const rules = queries.map((expr, at) => ({ record: `query:${at}`, expr }));
  const file = join(folder, 'dashboard.json');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  for (const args of [
    ['check', 'rules', RULES],
    ['test', 'rules', RULE_TESTS],
    ['check', 'config', '--syntax-only', 'deploy/prometheus.yml'],
    ['check', 'rules', file],
  ]) {
    const { status, stdout, stderr } = promtool(args);
    t.equal(status, 0, `promtool ${args.join(' ')}\n${stdout}${stderr}`);
  }
});
