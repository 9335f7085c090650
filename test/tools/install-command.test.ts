import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../support/sources.js';

const TOOL = join(ROOT, 'tools/install-command.mjs');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Runs the tool without a home folder of the user. */
function run(home: string, ...args: string[]) {
  const env = { ...process.env, HOME: home, PATH: `${process.env.PATH}` };
  return spawnSync(process.execPath, [TOOL, ...args], { encoding: 'utf8', env });
}

test('install:command: one file in the prefix, which starts this program from any folder', async (t) => {
  const home = t.testdir({});
  const prefix = join(home, "it's a prefix");
  const first = run(home, '--prefix', prefix);
  t.equal(first.status, 0, first.stderr);
  const command = join(prefix, 'bin/decider');
  t.match(first.stdout, `Installed ${command}, which starts `);
  t.match(first.stdout, 'is not on the path. Add it: export PATH=');
  t.equal(statSync(command).mode & 0o777, 0o755);
  t.equal(execFileSync(command, ['--version'], { cwd: home, encoding: 'utf8' }), `${version}\n`);
  t.equal(run(home, '--prefix', prefix).status, 0, 'again');
  const removed = run(home, '--prefix', prefix, '--uninstall');
  t.match([removed.status, removed.stdout], [0, `Removed ${command}.`]);
  t.notOk(statSync(command, { throwIfNoEntry: false }));
  const gone = run(home, '--prefix', prefix, '--uninstall');
  t.match([gone.status, gone.stdout], [0, 'There is no ']);
});

test('install:command: a file or a link of somebody else stays as it is', async (t) => {
  const home = t.testdir({ other: '#!/bin/sh\necho other\n' });
  mkdirSync(join(home, 'bin'));
  const command = join(home, 'bin/decider');
  writeFileSync(command, readFileSync(join(home, 'other')));
  for (const args of [[], ['--uninstall']]) {
    const refused = run(home, '--prefix', home, ...args);
    t.match([refused.status, refused.stderr], [1, 'is not a launcher that this command wrote']);
  }
  t.equal(readFileSync(command, 'utf8'), '#!/bin/sh\necho other\n');
  mkdirSync(join(home, 'two/bin'), { recursive: true });
  symlinkSync(join(home, 'nowhere'), join(home, 'two/bin/decider'));
  t.match(run(home, '--prefix', join(home, 'two')).stderr, 'is not a launcher');
});

test('install:command: wrong options and a prefix that cannot be written end with one line', async (t) => {
  const home = t.testdir({ file: '' });
  for (const args of [
    ['--perfix', 'x'],
    ['--prefix', join(home, 'file')],
  ]) {
    const { status, stderr } = run(home, ...args);
    t.equal(status, 1);
    t.match(stderr, /^[^\n]+\n$/);
  }
});
