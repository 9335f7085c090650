/**
 * Runs the test files: `npm test`, `npm run test:long`, or `node dist/test/main.js server/keys cli/` for the files whose
 * path contains one of these. `--jobs 4` runs four processes at a time. `--costs` ends with the time that each process took,
 * and on Linux with its processor time, which other work on the machine hardly changes.
 *
 * Short files of one folder share a process (see `processes.ts`); every other file has its own. These
 * are plain Node processes. tap would load its hooks into each of them, and into all their threads and child processes,
 * which then take up to 0.6 s of processor time longer to start and write a file when they end. Nor do they read source
 * maps; the report is changed instead, see `source-places.ts`.
 *
 * At a small scale the files that tests write are in memory; at full scale they are on a disk, as a server's are.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import tap from 'tap';
import { testProcesses } from './processes.js';
import { LONG } from './support/scale.js';
import { memoryFolder } from './support/scratch.js';
import { SourcePlaces } from './support/source-places.js';
import { ROOT } from './support/sources.js';

/** Of one file. */
const TIMEOUT_MS = (LONG ? 1_200 : 600) * 1_000;
/** Without `--costs`. */
const SLOWEST_SHOWN = 10;
/** Twice the processors that CI has: many tests mostly wait, for a timeout, a disk, a browser or a process that starts. */
const JOBS = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: String(JOBS) },
    costs: { type: 'boolean', default: false },
  },
});
const processes = testProcesses(positionals);
if (processes.length === 0) throw new Error(`no test file matches ${positionals.join(', ')}`);

tap.jobs = Number(values.jobs);
tap.setTimeout(0);
const report = new SourcePlaces();
// It is what tap does for a report that goes to standard output: only then does a failure change the exit status.
tap.register();
tap.pipe(report);
// On a terminal, tap's own reporter; elsewhere the TAP stream itself.
if (process.stdout.isTTY) {
  const require = createRequire(import.meta.url);
  const run = join(dirname(require.resolve('tap/package.json')), 'dist/esm/run.mjs');
  const reporter = spawn(process.execPath, [run, '--reporter=base', '-'], {
    cwd: ROOT,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  report.pipe(reporter.stdin);
} else {
  report.pipe(process.stdout);
}

const memory = LONG ? null : memoryFolder();
tap.comment(`the files of the tests are ${memory === null ? 'on the disk' : 'in memory'}`);
/** Where `t.testdir()` and the system's folder for temporary files are. */
const folders = memory === null ? {} : { TAP_CWD: memory, TMPDIR: memory };

const seconds = new Map<string, number>();
tap.on('spawn', (file) => {
  file.on('process', () => {
    const begun = performance.now();
    file.once('end', () => seconds.set(file.name, (performance.now() - begun) / 1_000));
  });
});
/** Where each process writes its processor time; null without `--costs`. */
const times = values.costs && process.platform === 'linux' ? mkdtempSync(join(tmpdir(), 'times-')) : null;
const measuring = ['--import', pathToFileURL(join(ROOT, 'dist/test/support/processor-time.js')).href];
for (const [at, { name, files, script }] of processes.entries()) {
  const timeout = TIMEOUT_MS * files.length;
  // The time limit of tap in the process itself, which is 30 s otherwise.
  const limits = { TAP_TIMEOUT: String(timeout / 1_000) };
  const costs = times === null ? {} : { TEST_COSTS: join(times, String(at)) };
  const env = { ...process.env, ...folders, ...limits, ...costs, TEST_FILES: JSON.stringify(files) };
  // Arguments are part of the names that tap gives to folders of tests: two processes may run tests of one title.
  const distinct = files.length > 1 ? [String(at)] : [];
  void tap.spawn(
    'env',
    // The hooks are an option in this variable.
    ['-u', 'NODE_OPTIONS', process.execPath, ...(times === null ? [] : measuring), script, ...distinct],
    { timeout, cwd: ROOT, env },
    name,
  );
}
tap.teardown(() => {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
  if (times === null) for (const [file, took] of slowest) tap.comment(`${took.toFixed(1)} s ${file}`);
  else showCosts(times);
});

/** Every process, the most processor time first, and the sums. */
function showCosts(folder: string): void {
  const costs = processes.map(({ name }, at) => {
    const file = join(folder, String(at));
    // One that was killed has written none.
    const processor = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN;
    return { name, processor, wall: seconds.get(name) ?? Number.NaN };
  });
  rmSync(folder, { recursive: true });
  costs.sort((a, b) => b.processor - a.processor);
  for (const { name, processor, wall } of costs)
    tap.comment(`${processor.toFixed(1)} s of processor time, ${wall.toFixed(1)} s ${name}`);
  const sum = costs.reduce((all, { processor }) => all + (processor || 0), 0);
  tap.comment(`${sum.toFixed(1)} s of processor time in all`);
}
