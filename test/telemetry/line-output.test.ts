import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Test, test } from 'tap';
import { OUTPUT_BYTES_MAX } from '../../src/telemetry/index.js';
import { random } from '../support/random.js';
import { scaled } from '../support/scale.js';

const CHILD = fileURLToPath(new URL('../support/line-output-child.js', import.meta.url));
/** Of about 180 bytes each. */
const LINES = scaled({ short: 30_000, long: 200_000 }, 'LOG_LINES');
/** What a process may hold besides the lines: one-byte strings and Node's own. */
const SLACK_BYTES = 8 * 1024 * 1024;

const NO_FULL = !existsSync('/dev/full') && 'SKIPPED: there is no /dev/full here';

interface Said {
  readonly held: number;
  readonly dropped: number;
}

/** A process that logs so many lines to a descriptor. */
function logging(t: Test, lines: number, stderr: 'pipe' | number) {
  const env = { PATH: process.env.PATH };
  const args = ['--expose-gc', CHILD, String(lines)];
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', stderr] });
  t.teardown(() => child.kill('SIGKILL'));
  const said = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await said.next()).value) as Said;
  return { child, next };
}

const numbersOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { line?: number }).line)
    .filter((line) => line !== undefined);

test('logging: a stalled reader costs a bounded buffer; dropped lines are counted and reported when it resumes', async (t) => {
  const { child, next } = logging(t, LINES, 'pipe');
  const { held, dropped } = await next();
  t.ok(held < OUTPUT_BYTES_MAX + SLACK_BYTES, `${held} bytes held`);
  t.ok(dropped > 0 && dropped < LINES, `${dropped} of ${LINES} lines dropped`);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  child.stdin?.write('\n');
  const last = (await next()).dropped;
  await new Promise((resolve) => child.once('close', resolve));
  const kept = numbersOf(text);
  t.equal(kept.length, LINES - dropped);
  t.strictSame(
    kept,
    kept.map((_, at) => at),
    'the first lines are kept, whole and in order',
  );
  const told = [...text.matchAll(/"dropped":(\d+),"msg":"lines of this log were dropped"/g)];
  t.equal(
    told.reduce((sum, [, count]) => sum + Number(count), 0),
    last,
  );
});

test('logging: a file has every line', async (t) => {
  const file = `${t.testdir({})}/log`;
  const descriptor = openSync(file, 'w');
  const { child, next } = logging(t, 2_000, descriptor);
  t.equal((await next()).dropped, 0);
  child.stdin?.write('\n');
  await new Promise((resolve) => child.once('close', resolve));
  closeSync(descriptor);
  t.equal(numbersOf(readFileSync(file, 'utf8')).length, 2_000);
});

test('logging: a reader of random pace gets every line that was not dropped', async (t) => {
  const { child, next } = logging(t, 5_000, 'pipe');
  const chance = random(7);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    if (chance.integer(4) > 0) return;
    child.stderr?.pause();
    setImmediate(() => child.stderr?.resume());
  });
  t.equal((await next()).dropped, 0);
  child.stdin?.write('\n');
  await new Promise((resolve) => child.once('close', resolve));
  t.equal(numbersOf(text).length, 5_000);
});

test('logging: a reader that has gone ends nothing', async (t) => {
  const { child, next } = logging(t, 2_000, 'pipe');
  child.stderr?.destroy();
  t.ok((await next()).dropped > 0);
  child.stdin?.write('\n');
  t.equal(await new Promise((resolve) => child.once('close', resolve)), 0);
});

test('logging: a disk that is full ends nothing', { skip: NO_FULL }, async (t) => {
  const full = openSync('/dev/full', 'w');
  const other = logging(t, 2_000, full);
  t.ok((await other.next()).dropped > 0);
  other.child.stdin?.write('\n');
  t.equal((await other.next()).dropped, 2_001);
  t.equal(await new Promise((resolve) => other.child.once('close', resolve)), 0);
  closeSync(full);
});
