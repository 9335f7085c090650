import { execFile } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'tap';
import { libraries } from '#native/platform.mjs';

const run = promisify(execFile);
const PROCESS = fileURLToPath(new URL('./ending-process.js', import.meta.url));
const LOADER = new URL('../../src/engine/addon/load-addon.js', import.meta.url).href;

test('addon: workers and the process that receive the log end (on Node 24 they did not)', async (t) => {
  const running = run(process.execPath, [PROCESS]);
  t.teardown(() => running.child.kill('SIGKILL'));
  const { stdout } = await running;
  t.strictSame(stdout.trim().split('\n'), ['terminated', 'ended with 0', 'terminated', 'ended with 0']);
});

test('addon: no library is loaded from the working directory', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const installed = libraries('cpu') as string;
  const cwd = t.testdir({});
  for (const name of readdirSync(installed).filter((file) => /^libggml-cpu.*\.so$/.test(file))) {
    copyFileSync(join(installed, name), join(cwd, name));
  }
  const script = `
    import { readFileSync } from 'node:fs';
    import { loadAddon } from ${JSON.stringify(LOADER)};
    loadAddon('cpu');
    console.log(readFileSync('/proc/self/maps', 'utf8'));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd });
  t.match(stdout, `${installed}/libggml-cpu`);
  t.notMatch(stdout, cwd);
});
