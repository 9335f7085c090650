// Whether a shadow build delays live requests: the latency of decisions about tasks without a shadow, and with shadows of a
// tenth and of all requests, on one server and in turns. `without, again` shows how much the medians differ by chance.
//
//   npm run bench:shadow                       the embedded model, and its weights again as the shadow build
//   npm run bench:shadow -- --rounds N --requests N --pause MS
//   npm run bench:shadow -- --minutes N        about so long, with fewer rounds
//   npm run bench:shadow -- --json FILE        also write {machine, cases: [{case, median, p90, ratio, counted}]}
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WatchedServer } from './loop/server.js';
import { benchOptions } from './options.js';
import { machine, Pace, quantile, showNumber, table, writeJson } from './report.js';

const MODELS = fileURLToPath(new URL('../../models/', import.meta.url));
const QUESTIONS = {
  angry: { type: 'noul', instructions: 'Is the customer angry?' },
  team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
};
/** The share of each task; null: no shadow. */
const SHARES = { without: null, 'a tenth': 0.1, all: 1, 'without, again': null } as const;
type Case = keyof typeof SHARES;
const CASES = Object.keys(SHARES) as Case[];

const values = benchOptions({
  rounds: { type: 'string', default: '20' },
  requests: { type: 'string', default: '40' },
  pause: { type: 'string', default: '50' },
});
const [rounds, requests, pauseMs] = [values.rounds, values.requests, values.pause].map(Number) as [
  number,
  number,
  number,
];

console.log(machine());
console.log(`${requests} requests a round and case, ${pauseMs} ms apart, at most ${rounds} rounds\n`);
const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const server = await WatchedServer.start('node', modelsWithShadow());
const latencies = new Map<Case, number[]>(CASES.map((name) => [name, []]));
let sent = 0;
try {
  for (const name of CASES) await call('PUT', name, '', { questions: QUESTIONS, ...shadowOf(name) });
  for (const name of CASES) await measure(name);
  for (const list of latencies.values()) list.length = 0;
  const pace = new Pace({ cases: 1, minutes: values.minutes });
  for (const _ of pace.rounds('latency', rounds)) for (const name of CASES) await measure(name);
  await report();
} finally {
  await server.stop();
}

/** The embedded model, and the same weights as another model. */
function modelsWithShadow(): string {
  cpSync(join(MODELS, 'nano'), join(folder, 'nano'), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(MODELS, 'manifest.json'), 'utf8'));
  const [model] = manifest.models;
  const models = [model, { ...model, id: 'shadow', answers_for: [] }];
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, models }));
  return folder;
}

function shadowOf(name: Case): object {
  const share = SHARES[name];
  return share === null ? {} : { shadow: { model: 'shadow', share } };
}

async function call(method: string, name: Case, path: string, body?: object) {
  const task = name.replace(/\W+/g, '-');
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/tasks/${task}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** One round of a case: every state is new, so that no prefix is in the cache. */
async function measure(name: Case): Promise<void> {
  for (let at = 0; at < requests; at += 1) {
    sent += 1;
    const begin = performance.now();
    await call('POST', name, '/decide', {
      state: `Order ${sent} was charged twice, and nobody answers my mail.`,
    });
    latencies.get(name)?.push(performance.now() - begin);
    await sleep(pauseMs);
  }
}

async function report(): Promise<void> {
  const base = quantile(latencies.get('without') as number[], 0.5);
  const cases: object[] = [];
  const rows: string[][] = [];
  // Counts are written a second after the first of them.
  await sleep(2_000);
  for (const name of CASES) {
    const list = latencies.get(name) as number[];
    const { shadow } = (await call('GET', name, '')) as {
      shadow: { questions: { angry: { answers: number } } };
    };
    const counted = shadow?.questions.angry.answers ?? 0;
    const [median, p90] = [quantile(list, 0.5), quantile(list, 0.9)];
    const ratio = median / base;
    cases.push({ case: name, requests: list.length, median, p90, ratio, counted });
    rows.push([
      name,
      String(list.length),
      showNumber(median),
      showNumber(p90),
      ratio.toFixed(3),
      String(counted),
    ]);
  }
  console.log(table(['shadow', 'requests', 'median ms', 'p90 ms', '× without', 'shadows counted'], rows));
  writeJson(values.json, { machine: machine(), requests, pauseMs, cases });
}
