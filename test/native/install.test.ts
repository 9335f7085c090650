import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../support/sources.js';

const install = (environment: Record<string, string>) =>
  spawnSync(process.execPath, [join(ROOT, 'native/install.mjs')], { encoding: 'utf8', env: environment });

test('install: without a compiler one message says what to do', async (t) => {
  const { status, stderr } = install({ PATH: '', CXX: 'no-such-compiler' });
  t.equal(status, 1);
  t.match(stderr, /^decider needs a C\+\+[^\n]+\n$/);
});

test('install: with everything in place it does nothing', async (t) => {
  const { status, stdout } = install(process.env as Record<string, string>);
  t.equal(status, 0);
  t.match(stdout, /^decider: the addon is built for [^\n]+\n$/);
});

test('install: a compiler with arguments of its own is one', async (t) => {
  const { stderr } = install({ ...(process.env as Record<string, string>), CXX: 'no-such-compiler -m64' });
  t.match(stderr, /^decider needs a C\+\+[^\n]*no-such-compiler -m64/);
});
