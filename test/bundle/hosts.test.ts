// The archive of a bundle as operators use it: on hosts that have nothing but a C library, and no network.
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { type Test, test } from 'tap';
import { VERSION } from '../../src/base/index.js';
import { HOSTILE, scratchFolder, WHOLE_BUNDLE } from '../support/bundle.js';
import { debianRoot, minimalRoot, NO_ROOTS, runInRoot, serveInRoot } from '../support/bundle-root.js';
import { LONG } from '../support/scale.js';
import { ROOT } from '../support/sources.js';

const AT_FULL_SCALE = LONG ? WHOLE_BUNDLE : { skip: 'SKIPPED: only at full scale (SCALE=long)' };
const IN_ROOTS = LONG && NO_ROOTS !== false ? { skip: NO_ROOTS } : AT_FULL_SCALE;

const scratch = LONG ? scratchFolder(tap) : '';
const name = `decider-${VERSION}-linux-x64-cpu`;
const archive = join(scratch, 'first', `${name}.tar.gz`);
const program = `/opt/${name}/decider`;

/** Runs the tool as `npm run bundle` does, after `shell`. */
function makeBundle(out: string, variables: Readonly<Record<string, string>> = {}, shell = '') {
  const command = `${shell} exec "$0" dist/bundle/main.js --backend cpu --out "$1"`;
  const env = { ...process.env, ...variables };
  return spawnSync('sh', ['-c', command, process.execPath, out], { cwd: ROOT, env, encoding: 'utf8' });
}

test('two builds are identical, and the sums beside the archive are right', AT_FULL_SCALE, async (t) => {
  const first = makeBundle(join(scratch, 'first'));
  t.match(first, { status: 0, stderr: '' });
  t.comment(first.stdout);
  const variables = { TZ: 'Pacific/Auckland', LANG: 'C', TAR_OPTIONS: '--sparse' };
  const second = makeBundle(join(scratch, 'second'), variables, 'umask 077;');
  t.equal(second.status, 0, second.stderr);
  t.ok(readFileSync(archive).equals(readFileSync(join(scratch, 'second', `${name}.tar.gz`))));
  execFileSync('sha256sum', ['--check', `${name}.tar.gz.sha256`], { cwd: join(scratch, 'first') });
});

/** Unpacks, serves and asks in a root: as root, and as a user who owns nothing but a data folder. */
async function serveOn(t: Test, root: string): Promise<void> {
  const own = { PATH: '/bin', DECIDER_PORT: '0', ...HOSTILE };
  const { lines, errors } = await serveInRoot({ root, archive, variables: { ...own, HOME: '/root' } });
  const at = (pattern: RegExp) => lines.find(({ text }) => pattern.test(text)) ?? { text: errors, ms: 0 };
  t.match(at(/^answer /).text, /^answer \{"model":"decider-g-nano-\d+","answers":\{"angry":\{"type":"noul"/);
  t.equal(at(/^network /).text, 'network ENETUNREACH');
  t.equal(at(/^ended /).text, 'ended 0');
  t.ok(existsSync(join(root, 'root/.local/state/decider/data')), 'in the folder for the state of root');
  const after = (pattern: RegExp) => Math.round(at(pattern).ms - at(/^unpacking/).ms);
  t.comment(`after ${after(/^unpacked/)} ms unpacked, after ${after(/^answer/)} ms answered`);

  const user = { uid: 10_001, gid: 10_001 };
  const homeless = await serveInRoot({ root, archive, variables: own, user });
  t.match(
    homeless.errors,
    /^data is not set, and this user has no home folder\. Set data \(DECIDER_DATA\)\.$/m,
  );
  mkdirSync(join(root, 'data'));
  chownSync(join(root, 'data'), user.uid, user.gid);
  const variables = { ...own, DECIDER_DATA: '/data' };
  const other = await serveInRoot({ root, archive, variables, user });
  t.ok(
    other.lines.some(({ text }) => text.startsWith('answer {"model"')),
    other.errors,
  );

  t.match(runInRoot(root, [program, 'verify-bundle']), { status: 0, stdout: /^ok +files /m });
  t.match(runInRoot(root, [program, 'doctor']), { status: 0, stdout: /^ok +backend +CPU$/m });
}

test('a root of Debian 12 without a network, from tar xf to an answer', IN_ROOTS, async (t) => {
  const root = join(scratch, 'bookworm');
  const failure = debianRoot(root, 'bookworm');
  if (failure !== null) return t.comment(failure);
  t.equal(spawnSync('chroot', [root, 'sh', '-c', 'command -v node npm gcc']).status, 127);
  await serveOn(t, root);
});

test('a root of a shell, tar and glibc, without libstdc++, from tar xf to an answer', IN_ROOTS, async (t) => {
  const root = join(scratch, 'minimal');
  minimalRoot(root);
  await serveOn(t, root);
  // As on a host with another C library.
  execFileSync('mv', [join(root, 'lib64/ld-linux-x86-64.so.2'), join(root, 'moved')]);
  const musl = runInRoot(root, ['/moved', '/bin/sh', program, '--version']);
  t.match(musl, {
    status: 1,
    stderr: /^decider needs Linux on x86-64 with glibc 2\.\d\d or newer\. [^\n]+\n$/,
  });
});

test('Debian 11 has too old a glibc, which is one line', IN_ROOTS, async (t) => {
  const root = join(scratch, 'bullseye');
  const failure = debianRoot(root, 'bullseye');
  if (failure !== null) return t.comment(failure);
  execFileSync('tar', ['xf', archive, '-C', join(root, 'opt')]);
  t.match(runInRoot(root, [program, 'serve']), {
    status: 1,
    stdout: '',
    stderr: /^decider needs glibc 2\.\d\d or newer, and this host has glibc 2\.31\.\n$/,
  });
});
