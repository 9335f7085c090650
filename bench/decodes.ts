// What one decode costs: by its tokens, by the cells that they attend to, and by its rows of logits. These are the
// constants of the cost model of bench:schedule. The rates count the weights once per decode and two operations per
// weight and token; the embedding, of which a decode reads only some rows, counts only for rows of logits.
//
//   npm run bench:decodes                     a generated model of 315M parameters, q8_0
//   npm run bench:decodes -- --size 12B       random weights in the dimensions of a published model; --type q8_0 or bf16
//   npm run bench:decodes -- --model FILE --backend cpu|cuda|vulkan|metal --threads N
//   npm run bench:decodes -- --minutes N      leaves rows out that do not begin in this time
//   npm run bench:decodes -- --json FILE      also write {machine, device, model, decodes: [{tokens, cells, rows, ms, …}]}
import { openModel } from '../src/engine/index.js';
import type { DecodeCase } from '../src/tuning/index.js';
import { CASES, measureDecode, PREFIX_STEP } from './decodes/measure.js';
import { benchmarkModel, largeModel, type WeightType } from './engine/models.js';
import { buildOf, deviceOf, settingsOf } from './engine/ours.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, showTimes, type Times, table, writeJson } from './report.js';

interface Row extends DecodeCase {
  readonly ms: Times;
  /** Operations in the layers' weights per second, in units of 10^12. */
  readonly teraflops: number;
  /** The layers' weights per second, in units of 10^9 bytes. */
  readonly gigabytes: number;
}

const values = benchOptions({
  model: { type: 'string' },
  size: { type: 'string' },
  type: { type: 'string', default: 'q8_0' },
  backend: { type: 'string', default: 'auto' },
  threads: { type: 'string', default: '0' },
});
const { addon, device, backend, threads } = deviceOf(settingsOf(values.backend, Number(values.threads)));
const pace = new Pace({ cases: CASES.length, minutes: values.minutes });
pace.step('opening the model');
const path =
  values.size === undefined
    ? (values.model ?? benchmarkModel(values.type as WeightType, addon))
    : largeModel(values.size, values.type);
const model = openModel(addon, device, buildOf(path));
const { summary, parameters, sizeBytes, vocabularySize, embeddingLength } = model.description;
const weights = parameters - vocabularySize * embeddingLength;
const bytes = (sizeBytes * weights) / parameters;

const rows = CASES.flatMap((one) => (pace.begins(JSON.stringify(one)) ? [rowOf(one)] : []));
addon.closeModel(model.handle);
console.log(`${machine()}; ${summary} on ${device === '' ? `${threads} threads` : device} (${backend})`);
const HEAD = ['tokens', 'cells before', 'rows of logits', 'ms', 'TFLOP/s', 'GB/s'];
console.log(
  table(
    HEAD,
    rows.map(({ tokens, cells, rows: outputs, ms, teraflops, gigabytes }) => [
      ...[tokens, cells, outputs].map(String),
      showTimes(ms),
      showNumber(teraflops),
      showNumber(gigabytes),
    ]),
  ),
);
writeJson(values.json, { machine: machine(), device, backend, threads, model: summary, decodes: rows });

function rowOf(one: DecodeCase): Row {
  const context = addon.createContext(model.handle, {
    cells: one.cells + one.tokens,
    batchTokens: PREFIX_STEP,
    microBatchTokens: PREFIX_STEP,
    sequences: 2,
    outputs: Math.max(2, one.rows),
    threads,
  });
  try {
    const ms = measureDecode(context, one);
    const seconds = ms.median / 1_000;
    const teraflops = (2 * weights * one.tokens) / seconds / 1e12;
    return { ...one, ms, teraflops, gigabytes: bytes / seconds / 1e9 };
  } finally {
    context.close();
  }
}
