/**
 * Runs the test files: `npm test`, `npm run test:long`, or `node dist/test/main.js server/keys cli/` for the files whose
 * path contains one of these. `--jobs 4` runs four processes at a time. `--costs` ends with the time that each process took.
 *
 * At a small scale, short files of one folder share a process (see `processes.ts`); every other file has its own. These
 * are plain Node processes. tap would load its hooks into each of them, and into all their threads and child processes,
 * which then take up to 0.6 s of processor time longer to start and write a file when they end.
 *
 * At a small scale the files that tests write are in memory; at full scale they are on a disk, as a server's are.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import tap from 'tap';
import { testProcesses } from './processes.js';
import { LONG } from './support/scale.js';
import { memoryFolder } from './support/scratch.js';
import { ROOT } from './support/sources.js';

/** Of one process. */
const TIMEOUT_MS = (LONG ? 1_200 : 240) * 1_000;
/** Without `--costs`. */
const SLOWEST_SHOWN = 10;
/** One more than the processors that CI has: some tests mostly wait, for a timeout, a disk or a process that starts. */
const JOBS = 3;

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
// On a terminal, tap's own reporter; elsewhere the TAP stream itself.
if (process.stdout.isTTY) {
  const require = createRequire(import.meta.url);
  const run = join(dirname(require.resolve('tap/package.json')), 'dist/esm/run.mjs');
  const reporter = spawn(process.execPath, [run, '--reporter=base', '-'], {
    cwd: ROOT,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  tap.pipe(reporter.stdin);
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
for (const { name, files, script } of processes) {
  // The time limit of tap in the process itself, which is 30 s otherwise.
  const limits = { TAP_TIMEOUT: String(TIMEOUT_MS / 1_000) };
  const env = { ...process.env, ...folders, ...limits, TEST_FILES: JSON.stringify(files) };
  void tap.spawn(
    'env',
    // The hooks are an option in this variable.
    ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', script],
    { timeout: TIMEOUT_MS, cwd: ROOT, env },
    name,
  );
}
tap.teardown(() => {
  const shown = values.costs ? seconds.size : SLOWEST_SHOWN;
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, shown);
  for (const [file, took] of slowest) tap.comment(`${took.toFixed(1)} s ${file}`);
});
