// Whether a device computes what the CPU computes: |Δp| over all options of all questions between the two, alone and
// together with other requests, and whether the device repeats its answers byte by byte. A driver or a kernel that is
// broken shows up here as NaN, as other answers, or as answers that change.
//
//   npm run bench:devices -- --backend cuda                 a generated model of four layers, F32, F16 and Q8_0
//   npm run bench:devices -- --backend cuda --model FILE    a GGUF of your own
//   npm run bench:devices -- --requests N                   default 64
//   npm run bench:devices -- --json FILE                    also write {machine, backend, cases: [{case, largest, …}]}
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAddon } from '../src/engine/index.js';
import { compare, type Difference } from '../src/tuning/index.js';
import { ANSWER_KINDS, type AnswerKind, type Answers } from './devices/answers.js';
import { fewLayersModel } from './engine/models.js';
import { benchOptions } from './options.js';
import { machine, Pace, table, writeJson } from './report.js';

const PROCESS_FILE = fileURLToPath(new URL('./devices/answers-process.js', import.meta.url));
const PRECISIONS = ['f32', 'f16', 'q8_0'] as const;

interface Row extends Difference {
  readonly case: string;
  readonly compared: string;
}

const values = benchOptions({
  backend: { type: 'string', default: 'auto' },
  model: { type: 'string' },
  requests: { type: 'string', default: '64' },
});
const files =
  values.model === undefined
    ? PRECISIONS.map((type) => [type, fewLayersModel(type, loadAddon('cpu').addon)] as const)
    : [[values.model, values.model] as const];
const pace = new Pace({ cases: files.length, minutes: values.minutes });
const rows = files.flatMap(([name, file]) => (pace.begins(name) ? rowsOf(name, file) : []));
console.log(`${machine()}; ${values.requests} requests of 1 to 3 questions; ${values.backend}`);
console.log(
  table(
    ['weights', 'compared', 'questions', 'largest |Δp|', 'mean |Δp|', 'other answers'],
    rows.map((row) => [
      row.case,
      row.compared,
      String(row.questions),
      row.largest.toExponential(1),
      row.mean.toExponential(1),
      `${((row.changed / row.questions) * 100).toFixed(1)} %`,
    ]),
  ),
);
writeJson(values.json, { machine: machine(), backend: values.backend, cases: rows });

function rowsOf(name: string, file: string): Row[] {
  const cpu = answersOf('cpu', file);
  const device = answersOf(values.backend, file);
  const row = (compared: string, expected: Answers, a: AnswerKind, found: Answers, b: AnswerKind) => ({
    case: name,
    compared,
    ...compare(expected[a], found[b]),
  });
  return [
    row('device and CPU, each request alone', cpu, 'alone', device, 'alone'),
    row('device and CPU, eight requests together', cpu, 'together', device, 'together'),
    row('device, alone and together', device, 'alone', device, 'together'),
    row('device, alone and alone again', device, 'alone', device, 'again'),
    row('CPU, alone and together', cpu, 'alone', cpu, 'together'),
  ];
}

/** A process can load only one backend, and a broken one may end it. */
function answersOf(backend: string, file: string): Answers {
  const folder = mkdtempSync(join(tmpdir(), 'decider-devices-'));
  try {
    const out = join(folder, 'answers.json');
    const { status, stderr } = spawnSync(
      process.execPath,
      [PROCESS_FILE, backend, file, values.requests, out],
      {
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(`${backend}: ended with ${status}: ${stderr.slice(-2_000)}`);
    const read = JSON.parse(readFileSync(out, 'utf8')) as Record<AnswerKind, (number | null)[][]>;
    // JSON has no NaN; it writes null.
    const numbers = (kind: AnswerKind) =>
      read[kind].map((logits) => Float32Array.from(logits, (value) => value ?? Number.NaN));
    return Object.fromEntries(ANSWER_KINDS.map((kind) => [kind, numbers(kind)])) as unknown as Answers;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
