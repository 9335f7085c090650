import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'tap';

const PROCESS = fileURLToPath(new URL('./ending-process.js', import.meta.url));

test('addon: workers and the process that receive the log end (on Node 24 they did not)', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROCESS], { timeout: 60_000 });
  t.strictSame(stdout.trim().split('\n'), ['terminated', 'ended with 0', 'terminated', 'ended with 0']);
});
