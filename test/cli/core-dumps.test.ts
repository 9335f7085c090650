// A core dump of the server would hold the master key.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../support/sources.js';

test('a core dump of the program, and of the processes that it starts, holds no memory', {
  skip: process.platform === 'linux' ? false : 'only Linux has the filter',
}, async (t) => {
  const preload = join(t.testdir({}), 'filter.cjs');
  writeFileSync(
    preload,
    `const filter = () => 'filter: ' + require('node:fs').readFileSync('/proc/self/coredump_filter', 'latin1');
    const inherited = () => require('node:child_process').execFileSync('cat', ['/proc/self/coredump_filter']);
    process.on('exit', () => require('node:fs').writeSync(2, filter() + 'inherited: ' + inherited()));`,
  );
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--require', preload, join(ROOT, 'bin/decider.mjs'), '--version'],
    { encoding: 'utf8' },
  );
  t.equal(status, 0);
  t.match(stderr, /^filter: 0+\ninherited: 0+$/m);
});
