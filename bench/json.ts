// Reading a request body: the server's scan, JSON.parse, and the npm binding of simdjson, on generated decide requests.
// The binding accepts strings only, so every contestant except the scan also decodes the bytes to a string.
//
//   npm run bench:json
//   npm run bench:json -- --minutes N         about so long, with fewer rounds
//   npm run bench:json -- --json FILE         also write {machine, cases: [{case, ours, peer, ratio_peer, …}]}
import { createRequire } from 'node:module';
import { decideBody } from './json/bodies.js';
import { contestants, type SimdJson, throughputs } from './json/contestants.js';
import { benchOptions } from './options.js';
import { machine, Pace, quantile, showNumber, table, writeJson } from './report.js';

const SIZES = [1_000, 100_000, 30_000_000];
const ROUNDS = 7;
const ROUND_MS = 200;

const values = benchOptions({});
const pace = new Pace({ cases: SIZES.length, minutes: values.minutes });
// Only this benchmark needs the package, so it has its own package.json and lockfile.
const require = createRequire(new URL('../../bench/json/package.json', import.meta.url));
const readers = contestants(require('simdjson') as SimdJson);

const cases = SIZES.map((bytes) => {
  const body = decideBody(bytes);
  const rates = throughputs(body, readers, pace.rounds(`bodies of ${bytes} bytes`, ROUNDS + 1, 2), ROUND_MS);
  const rate = (name: string) => quantile(rates.get(name) ?? [], 0.5);
  return {
    case: `${(body.length / 1_000).toLocaleString('en', { maximumFractionDigits: 0 })} KB`,
    rates: Object.fromEntries([...rates.keys()].map((name) => [name, rate(name)])),
    // Two that check a whole body without building values, and two that build all values.
    ours: rate('scan'),
    peer: rate('simdjson isValid'),
    ratio_peer: rate('scan') / rate('simdjson isValid'),
    ratio_parse: rate('JSON.parse') / rate('simdjson parse'),
  };
});

console.log(`${machine()}\nMB/s, median of at most ${ROUNDS}`);
const names = Object.keys(readers);
const rows = cases.map((row) => [
  row.case,
  ...names.map((name) => showNumber(row.rates[name] ?? Number.NaN)),
  row.ratio_peer.toFixed(2),
  row.ratio_parse.toFixed(2),
]);
console.log(table(['body', ...names, 'scan ÷ isValid', 'JSON.parse ÷ parse'], rows));
writeJson(values.json, { machine: machine(), cases });
