/**
 * Runs the test files, two at a time: `npm test`, `npm run test:long`, or `node dist/test/main.js server/keys cli/` for
 * the files whose path contains one of these. `--jobs 4` runs four at a time.
 *
 * Each file runs in a plain Node process. tap would load its hooks into each of them, and into all their threads and child
 * processes, which then take up to 0.6 s of processor time longer to start and write a file when they end.
 *
 * At a small scale the files that tests write are in memory; at full scale they are on a disk, as a server's are.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import tap from 'tap';
import { LONG } from './support/scale.js';
import { memoryFolder } from './support/scratch.js';
import { ROOT } from './support/sources.js';

/** Of one file. */
const TIMEOUT_MS = (LONG ? 1_200 : 240) * 1_000;
const SLOWEST_SHOWN = 10;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: '2' } },
});
const files = readdirSync(join(ROOT, 'dist/test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  .sort()
  // The first folders hold the shortest files. They come last, so that all jobs end at about the same time.
  .reverse();
if (files.length === 0) throw new Error(`no test file matches ${positionals.join(', ')}`);

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
for (const file of files) {
  const path = join('dist/test', file);
  // The time limit of tap in the file's own process, which is 30 s otherwise.
  const env = { ...process.env, ...folders, TAP_TIMEOUT: String(TIMEOUT_MS / 1_000) };
  void tap.spawn(
    'env',
    // The hooks are an option in this variable.
    ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', path],
    { timeout: TIMEOUT_MS, cwd: ROOT, env },
    path,
  );
}
tap.teardown(() => {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
  for (const [file, took] of slowest) tap.comment(`${took.toFixed(1)} s ${file}`);
});
