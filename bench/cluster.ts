// What more nodes add: throughput of one node and of several over one PostgreSQL database, behind HAProxy, with engines whose
// waves take a fixed time and no processor. One node on a data folder is measured too. Everything runs on this machine, so a
// ratio below the number of nodes can also mean that its processor is used up.
//
//   npm run bench:cluster                        1 and 3 nodes
//   npm run bench:cluster -- --nodes 1,2,4 --wave-ms N --rounds N
//   npm run bench:cluster -- --requests N --lines N   per node and round; the median of the rounds is shown
//   npm run bench:cluster -- --statements        also list the statements by name
//   npm run bench:cluster -- --minutes N         about so long, with fewer rounds
//   npm run bench:cluster -- --json FILE         also write {machine, cases: [{store, nodes, live, batch, idle}]}
import { loadavg } from 'node:os';
import { startCluster, tinyModels } from './cluster/cluster.js';
import { type Measured, measureBatches, measureIdle, measureLive } from './cluster/measure.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, table, writeJson } from './report.js';

/** Batches at a time. */
const BATCHES = 4;

interface Case {
  readonly store: 'lmdb' | 'postgres';
  readonly nodes: number;
  readonly live: Measured;
  readonly batch: Measured;
  /** Statements per second of an idle node. */
  readonly idle: number;
}

const values = benchOptions({
  nodes: { type: 'string', default: '1,3' },
  'wave-ms': { type: 'string', default: '100' },
  rounds: { type: 'string', default: '3' },
  requests: { type: 'string', default: '1500' },
  lines: { type: 'string', default: '1500' },
  statements: { type: 'boolean', default: false },
});
const waveMs = Number(values['wave-ms']);
const counts = values.nodes.split(',').map(Number);
const wanted = [
  { store: 'lmdb', nodes: 1 } as const,
  ...counts.map((nodes) => ({ store: 'postgres', nodes }) as const),
];
const pace = new Pace({ cases: wanted.length, minutes: values.minutes });

console.log(machine());
console.log(`waves of ${waveMs} ms; ${values.requests} requests and ${values.lines} lines per node`);
const models = await tinyModels();
const cases: Case[] = [];
for (const { store, nodes } of wanted) cases.push(await measure(store, nodes));

const base = cases.find(({ store }) => store === 'postgres');
const times = (own: Measured, other: Measured | undefined) =>
  other === undefined ? '–' : (own.perSecond / other.perSecond).toFixed(2);
const rows = cases.map(({ store, nodes, live, batch, idle }) => [
  store,
  String(nodes),
  showNumber(live.perSecond),
  times(live, base?.live),
  showNumber(live.statementsEach),
  showNumber(batch.perSecond),
  times(batch, base?.batch),
  showNumber(batch.statementsEach),
  showNumber(idle),
]);
const HEAD = [
  'store',
  'nodes',
  'requests/s',
  '× one node',
  'statements each',
  'lines/s',
  '× one node',
  'statements each',
  'idle statements/s and node',
];
console.log(`\n${table(HEAD, rows)}\nload ${loadavg()[0]?.toFixed(1)}`);
if (values.statements) for (const each of cases) showStatements(each);
writeJson(values.json, { machine: machine(), waveMs, cases });

async function measure(store: 'lmdb' | 'postgres', nodes: number): Promise<Case> {
  const cluster = await startCluster(store, nodes, { waveMs, models });
  try {
    const idle = await measureIdle(cluster);
    const requests = Number(values.requests) * nodes;
    const lines = Number(values.lines) * nodes;
    const live: Measured[] = [];
    const batch: Measured[] = [];
    for (const _ of pace.rounds(`${store}, ${nodes} nodes`, Number(values.rounds))) {
      live.push(await measureLive(cluster, requests, idle));
      batch.push(await measureBatches(cluster, { lines, batches: BATCHES }, idle));
    }
    return { store, nodes, live: middle(live), batch: middle(batch), idle: idle / nodes };
  } finally {
    await cluster.stop();
  }
}

/** The round of the median throughput. */
function middle(rounds: readonly Measured[]): Measured {
  const sorted = [...rounds].sort((one, other) => one.perSecond - other.perSecond);
  return sorted[Math.floor(sorted.length / 2)] as Measured;
}

function showStatements({ store, nodes, live, batch }: Case): void {
  for (const [kind, { statements, count }] of Object.entries({ live, batch })) {
    const sorted = Object.entries(statements)
      .filter(([, sent]) => sent > 0)
      .sort(([, one], [, other]) => other - one);
    if (sorted.length === 0) continue;
    const shown = sorted.map(([name, sent]) => [name, String(sent), showNumber(sent / count)]);
    console.log(`\n${store}, ${nodes} nodes, ${kind}\n${table(['statement', 'sent', 'each'], shown)}`);
  }
}
