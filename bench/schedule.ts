// The engine's scheduler in simulated time: what wave sizes, contexts, sequences and batch shares do to throughput and
// latency, by a cost model with named constants (bench/schedule/devices.ts). Nothing is computed, so no model and no GPU is
// needed, and the figures are no measurements.
//
//   npm run bench:schedule                              every device and workload
//   npm run bench:schedule -- --device h200             h200, h100, rtx or cpu
//   npm run bench:schedule -- --workload batch          short, mixed, bursts, one_state, batch or images
//   npm run bench:schedule -- --minutes N               leaves out what does not begin in this time
//   npm run bench:schedule -- --json FILE               also write [{device, workload, variation, …}]

import { benchOptions } from './options.js';
import { Pace, showNumber, table, writeJson } from './report.js';
import { DEVICES, type Device } from './schedule/devices.js';
import { type Row, runWorkload, type Variation } from './schedule/run.js';
import { WORKLOADS } from './schedule/workloads.js';

const values = benchOptions({
  device: { type: 'string' },
  workload: { type: 'string' },
});

/** Exact mode does not count what encoding an image costs, so images would look cheaper than they are. */
const exactOf = (workload: string): ReadonlyArray<readonly [string, Variation]> =>
  (workload === 'images' ? [] : [1, 2, 4]).map((contexts) => [
    `exact, ${contexts} context${contexts === 1 ? '' : 's'}`,
    { exact: true, contexts },
  ]);

/** One thing at a time differs from the defaults. */
const variationsOf = (device: Device, workload: string): ReadonlyArray<readonly [string, Variation]> => [
  ['defaults', {}],
  ...[512, 1_024, 2_048, 4_096]
    .filter((waveTokens) => waveTokens !== device.waveTokens)
    .map((waveTokens) => [`waves of ${waveTokens}`, { waveTokens }] as const),
  device.contexts === 1 ? ['2 contexts', { contexts: 2 }] : ['1 context', { contexts: 1 }],
  ...exactOf(workload),
  ['255 sequences', { sequences: 255 }],
  ['no prefix kept', { idleCells: 0 }],
  ['all prefixes kept', { idleCells: 4_096 }],
  ...(workload === 'batch'
    ? [0.1, 0.4].map((share) => [`batches get ${share * 100} %`, { shareBesideLive: share }] as const)
    : []),
];

const chosen = <Value>(all: Readonly<Record<string, Value>>, name: string | undefined, what: string) => {
  if (name === undefined) return Object.entries(all);
  const value = all[name];
  if (value === undefined) throw new Error(`--${what}: ${name} is none of ${Object.keys(all).join(', ')}`);
  return [[name, value]] as Array<[string, Value]>;
};

const devices = chosen(DEVICES, values.device, 'device');
const workloads = chosen(WORKLOADS, values.workload, 'workload');
const results: Array<
  Row & { readonly device: string; readonly workload: string; readonly variation: string }
> = [];
const simulations = devices.flatMap(([, device]) =>
  workloads.flatMap(([name]) => variationsOf(device, name)),
);
const pace = new Pace({ cases: simulations.length, minutes: values.minutes });
for (const [deviceName, device] of devices) {
  for (const [name, workload] of workloads) {
    const rows = variationsOf(device, name).flatMap(([variation, changed]) => {
      if (!pace.begins(`${device.title}, ${name}, ${variation}`)) return [];
      const row = runWorkload(device, workload, changed);
      results.push({ device: deviceName, workload: name, variation, ...row });
      const { decisionsPerSecond, p50, p95, p99, fill, hitRate } = row;
      return [[variation, ...[decisionsPerSecond, p50, p95, p99, fill, hitRate].map(showNumber)]];
    });
    if (rows.length === 0) continue;
    console.log(`\n${device.title}, 12B, simulated\n${workload.title}; load ${workload.load * 100} %`);
    console.log(table(['', 'decisions/s', 'p50 ms', 'p95 ms', 'p99 ms', 'fill', 'hits'], rows));
  }
}
writeJson(values.json, results);
