// The memory estimate against the memory of a process that has loaded the model and filled the KV cache of its contexts.
// Linux only.
//
//   npm run bench:memory                   three generated models at several sizes
//   npm run bench:memory -- --minutes N    leaves sizes out that do not begin in this time
//   npm run bench:memory -- --json FILE    also write {machine, cases: [{case, estimated, actual}]}
//   npm run bench:memory -- --published    the estimates of models/README.md instead
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deriveSizes, loadAddon } from '../src/engine/index.js';
import { estimateMemory } from '../src/engine/memory/estimate-memory.js';
import { totalOf } from '../src/engine/memory/memory-types.js';
import type { EngineSizes } from '../src/engine/sizes.js';
import { benchmarkModel, fewLayersModel, mediumModel } from './engine/models.js';
import { publishedMemory, QUANTIZATIONS } from './memory/published.js';
import { benchOptions } from './options.js';
import { machine, Pace, progress, table, writeJson } from './report.js';

const PROCESS_FILE = fileURLToPath(new URL('./memory/actual-process.js', import.meta.url));

/** The input of the process that loads a model. */
export interface ActualTask {
  readonly path: string;
  readonly sizes: EngineSizes;
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly cells: number;
  readonly contexts: number;
}

interface Row {
  readonly case: string;
  readonly cells: number;
  readonly contexts: number;
  /** Bytes. */
  readonly estimated: number;
  readonly actual: number;
}

const values = benchOptions({
  published: { type: 'boolean' },
});
if (values.published) console.log((await publishedRows()).join('\n'));
else await compareWithActual();

function generatedCases(): Case[] {
  const { addon } = loadAddon('cpu');
  return [
    { name: '5M f16', path: fewLayersModel('f16', addon), cells: 8_192, contexts: 1 },
    { name: '5M f16', path: fewLayersModel('f16', addon), cells: 16_384, contexts: 2 },
    { name: '31M f16', path: mediumModel('f16', addon), cells: 4_096, contexts: 1 },
    { name: '31M q8_0', path: mediumModel('q8_0', addon), cells: 8_192, contexts: 2 },
    { name: '315M q4_0', path: benchmarkModel('q4_0', addon), cells: 2_048, contexts: 1 },
    { name: '315M q8_0', path: benchmarkModel('q8_0', addon), cells: 8_192, contexts: 1 },
    { name: '315M f16', path: benchmarkModel('f16', addon), cells: 2_048, contexts: 2 },
  ];
}

async function compareWithActual(): Promise<void> {
  const rows: Row[] = [];
  const cases = generatedCases();
  const pace = new Pace({ cases: cases.length, minutes: values.minutes });
  for (const each of cases) {
    const { name, cells, contexts } = each;
    if (pace.begins(`${name}, cells: ${cells}, contexts: ${contexts}`)) rows.push(await measure(each));
  }
  console.log(machine());
  console.log(
    table(
      ['weights', 'cells', 'contexts', 'estimated MB', 'actual MB', 'difference'],
      rows.map(({ case: name, cells, contexts, estimated, actual }) => [
        name,
        String(cells),
        String(contexts),
        (estimated / 1e6).toFixed(1),
        (actual / 1e6).toFixed(1),
        `${((estimated / actual - 1) * 100).toFixed(1)} %`,
      ]),
    ),
  );
  writeJson(values.json, { machine: machine(), cases: rows });
}

async function measure({ name, path, cells, contexts }: Case): Promise<Row> {
  const sizes = deriveSizes({ cells, wave_tokens: 0, sequences: 64, contexts }, '');
  const place = { backend: 'cpu', devices: [''] } as const;
  const build = { id: name, path, sha256: '', parts: [], projector: null };
  const { needs } = await estimateMemory(place, build, [sizes]);
  const task: ActualTask = { path, sizes };
  const child = spawnSync(process.execPath, [PROCESS_FILE], {
    input: JSON.stringify(task),
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr);
  const estimated = (needs?.[0] ?? []).reduce((sum, need) => sum + totalOf(need), 0);
  return { case: name, cells, contexts, estimated, actual: Number(child.stdout) };
}

/** Rows of a Markdown table, in gigabytes. */
async function publishedRows(): Promise<string[]> {
  const rows: string[] = [];
  for (const model of ['12B', '31B'] as const) {
    for (const quantization of QUANTIZATIONS) {
      progress(`${model} ${quantization}`);
      const { file, cache, cpu, gpu } = await publishedMemory(model, quantization);
      const shown = [file, cache, cpu, gpu].map((bytes) => (bytes / 1e9).toFixed(1));
      rows.push(`| ${[model, quantization, ...shown].join(' | ')} |`);
    }
  }
  return rows;
}
