import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Test, test } from 'tap';
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

/** A copy of the program without its addon; returns how a server starts in it. */
function copied(t: Test): { folder: string; start(): { status: number | null; stderr: string } } {
  const folder = mkdtempSync(join(tmpdir(), 'decider-no-addon-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(folder, name));
  cpSync(join(ROOT, 'dist/src'), join(folder, 'dist/src'), { recursive: true });
  for (const file of readdirSync(join(ROOT, 'native')).filter((name) => name.endsWith('.mjs'))) {
    cpSync(join(ROOT, 'native', file), join(folder, 'native', file));
  }
  const main = join(folder, 'dist/src/cli/main.js');
  const environment = { ...process.env, DECIDER_DATA: join(folder, 'data'), DECIDER_PORT: '0' };
  const start = () => spawnSync(process.execPath, [main, 'serve'], { encoding: 'utf8', env: environment });
  return { folder, start };
}

test('install: a start without the addon, as after --ignore-scripts, prints the command that builds it', async (t) => {
  const { status, stderr } = copied(t).start();
  t.equal(status, 1);
  t.match(stderr, /^The addon is not built for \w+\. Run: npm run install:addon\n$/);
});

test('install: a start with the addon of another version, as after an update, does so too', async (t) => {
  const { folder, start } = copied(t);
  cpSync(join(ROOT, 'native/source'), join(folder, 'native/source'), { recursive: true });
  symlinkSync(join(ROOT, 'native/build'), join(folder, 'native/build'));
  const { isAddonOld } = await import(join(folder, 'native/platform.mjs'));
  t.equal(isAddonOld(), false);
  writeFileSync(join(folder, 'native/source/added.h'), '');
  const { status, stderr } = start();
  t.equal(status, 1);
  t.match(stderr, /^The addon was built from sources of another version\. Run: npm run install:addon\n$/);
});
