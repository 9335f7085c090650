import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import { addonFile, libraries } from '#native/platform.mjs';

/** Ends a process by an abort, after `before`, and returns its record and what it logs. */
function aborted(folder: string, before: string) {
  const record = join(folder, 'record');
  const script = `
    const addon = require(${JSON.stringify(addonFile('cpu'))});
    addon.loadBackends(${JSON.stringify(libraries('cpu'))});
    addon.recordAborts(${JSON.stringify(record)});
    ${before}
    addon.abort('CUDA error');`;
  const environment = { ...process.env, GGML_NO_BACKTRACE: '1' };
  const { signal, stderr } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: environment,
  });
  const line = stderr.split('\n').find((each) => each.startsWith('{')) ?? '{}';
  return { signal, record: existsSync(record) ? readFileSync(record, 'utf8') : '', line: JSON.parse(line) };
}

test('the record of an abort has the last error that llama.cpp logged on the thread', async (t) => {
  const plain = aborted(t.testdir(), '');
  t.equal(plain.signal, 'SIGABRT');
  t.match(plain.record, /^-2 \S+: CUDA error\n$/);
  t.match(plain.line, { level: 'fatal', reason: /: CUDA error$/ });

  const opened = `
    const options = { path: '/none.gguf', device: '', mapped: true };
    try { addon.openModel(options, () => true); } catch {}`;
  const { signal, record, line } = aborted(t.testdir(), opened);
  t.equal(signal, 'SIGABRT');
  t.match(record, /^-2 \S+: CUDA error; llama_model_load_from_file_impl: failed to load model\n$/);
  t.match(line, { level: 'fatal', reason: /: CUDA error; .*failed to load model$/ });
});

/** The first thread to abort waits for a reader of the record, which is a pipe; the second says that it aborts now. */
const TWO_THREADS = `
  const { Worker, isMainThread, workerData } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const addon = require(process.argv[2]);
  if (isMainThread) {
    addon.recordAborts(process.argv[3]);
    const begun = new Int32Array(new SharedArrayBuffer(4));
    for (const number of [1, 2]) new Worker(__filename, { argv: process.argv.slice(2), workerData: { number, begun } });
  } else {
    const { number, begun } = workerData;
    addon.numberThread(number);
    if (number === 1) {
      Atomics.store(begun, 0, 1);
      Atomics.notify(begun, 0);
    } else {
      Atomics.wait(begun, 0, 0);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      writeSync(1, 'now');
    }
    addon.abort('CUDA error of ' + number);
  }`;

test('a second thread that aborts does not end the process before the first has written the record', async (t) => {
  const folder = t.testdir({ 'two-threads.cjs': TWO_THREADS });
  const read = async () => {
    const record = join(folder, 'record');
    execFileSync('mkfifo', [record]);
    const args = [join(folder, 'two-threads.cjs'), addonFile('cpu'), record];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    const said = await promisify(execFile)('cat', [record], { timeout: 5_000 }).catch(() => ({ stdout: '' }));
    execFileSync('rm', [record]);
    t.strictSame(await ended, [null, 'SIGABRT']);
    return said.stdout;
  };
  let found = '';
  // It waits for a second, in which a busy machine may not begin to read.
  for (let tries = 0; tries < 3 && found === ''; tries++) found = await read();
  t.match(found, /^([12]) \S+: CUDA error of \1\n$/);
});
