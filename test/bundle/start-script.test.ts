import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Test, test } from 'tap';
import { startScript } from '../../bundle/collect.js';
import { ROOT } from '../support/sources.js';

const LOADER = '/lib64/ld-linux-x86-64.so.2';
/** Prints what the script gives to the program. */
const NODE = `#!/bin/sh
for name in NODE_OPTIONS NODE_PATH LD_LIBRARY_PATH; do
  eval "[ -z \\"\\\${$name+set}\\" ] || echo $name=\\$$name"
done
printf '%s\\n' "$@"
`;
/** Answers `--version` as FAKE_VERSION says, and traces as the host of FAKE_LIBRARIES. */
const FAKE_LOADER = `#!/bin/sh
if [ "$1" = --version ]; then
  [ -n "$FAKE_VERSION" ] && echo "ld.so (Debian GLIBC $FAKE_VERSION-9+deb12u14) stable release version $FAKE_VERSION." && exit
  exit 127
fi
[ "$FAKE_TRACE" = 1 ] || exit 1
case $FAKE_LIBRARIES:$LD_LIBRARY_PATH in
none:*) echo '	libstdc++.so.6 => not found' ;;
own:*/lib | own:*/lib:*) ;;
own:*) echo '	libm.so.6 => /lib/libm.so.6 (0x1)'; echo '	libstdc++.so.6 => not found' ;;
esac
echo '	libc.so.6 => /lib/libc.so.6 (0x2)'
`;

/** The script with another loader. The fake one is itself loaded, so it is asked to trace by another variable. */
const script = (loader: string) =>
  startScript(ROOT, '2.34').replace(LOADER, loader).replace('LD_TRACE_LOADED_OBJECTS', 'FAKE_TRACE');

/** A bundle of this script with programs that print what they are given, in a folder whose name has a space. */
function bundle(t: Test) {
  const folder = join(t.testdir({}), 'a bundle');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o755 });
  };
  write('decider', script(`"${folder}/loader"`));
  write('bin/node', NODE);
  write('native/build/decider-cpu.node', '');
  write('loader', FAKE_LOADER);
  return folder;
}

/** Runs the script; by default on a host with a glibc that is new enough and all libraries. */
function start(file: string, own: Record<string, string> = {}, shell: readonly string[] = []) {
  const [command = '', ...args] = [...shell, file, 'serve', 'a  b'];
  const env = { PATH: process.env.PATH ?? '', FAKE_VERSION: '2.36', ...own };
  const { status, stdout, stderr } = spawnSync(command, args, {
    env,
    encoding: 'utf8',
    cwd: dirname(file),
  });
  return { status, stdout, stderr };
}

const works = (folder: string, variables = '') => ({
  status: 0,
  stdout: `${variables}${folder}/bin/decider.mjs\nserve\na  b\n`,
  stderr: '',
});

const shells = [['sh'], ['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([program, ...args]) => spawnSync(program as string, [...args, '-c', 'true']).status === 0,
);

for (const shell of shells) {
  test(`the start script runs the program of its folder (${shell.join(' ')})`, async (t) => {
    const folder = bundle(t);
    t.strictSame(start(join(folder, 'decider'), {}, shell), works(folder));
    mkdirSync(join(folder, '../other'));
    symlinkSync('../a bundle/decider', join(folder, '../other/first'));
    symlinkSync(join(folder, '../other/first'), join(folder, '../second'));
    t.strictSame(start(join(folder, '../second'), {}, shell), works(folder), 'through links');
    t.strictSame(start('decider', {}, ['env', '-C', folder, ...shell]), works(folder), 'without a folder');
  });
}

test('the start script refuses an older glibc with one line', async (t) => {
  const file = join(bundle(t), 'decider');
  t.equal(start(file, { FAKE_VERSION: '2.34' }).status, 0);
  t.equal(start(file, { FAKE_VERSION: '2.100' }).status, 0);
  t.strictSame(start(file, { FAKE_VERSION: '2.33' }), {
    status: 1,
    stdout: '',
    stderr: 'decider needs glibc 2.34 or newer, and this host has glibc 2.33.\n',
  });
});

test('before glibc 2.33, the start script asks getconf or ldd, which may be missing', async (t) => {
  const folder = bundle(t);
  const programs = join(folder, '../programs');
  mkdirSync(programs);
  const write = (name: string, printed: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${printed}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  const old = () => start(join(folder, 'decider'), { FAKE_VERSION: '', PATH: programs });
  t.strictSame(old(), works(folder), 'not known: the loader decides');
  write('ldd', "echo 'ldd (Ubuntu GLIBC 2.31-0ubuntu9.17) 2.31'; echo 'Copyright (C) 2020'");
  t.match(old(), { status: 1, stderr: /this host has glibc 2\.31\.\n$/ });
  write('getconf', "echo 'glibc 2.28'");
  t.match(old(), { status: 1, stderr: /this host has glibc 2\.28\.\n$/ });
  write('getconf', 'exit 1');
  write('ldd', "echo 'musl libc (x86_64)' >&2; exit 1");
  t.strictSame(old(), works(folder));
});

test('the start script refuses another C library with one line', async (t) => {
  const folder = bundle(t);
  writeFileSync(join(folder, 'decider'), script('/nowhere/ld.so'));
  t.match(start(join(folder, 'decider')), {
    status: 1,
    stdout: '',
    stderr:
      /^decider needs Linux on x86-64 with glibc 2\.34 or newer\. This host has no \/nowhere\/ld\.so: [^\n]+\n$/,
  });
});

test('variables for another Node.js do not reach the program', async (t) => {
  const folder = bundle(t);
  const variables = { NODE_OPTIONS: '--nonsense', NODE_PATH: '/srv/modules', LD_LIBRARY_PATH: '' };
  t.strictSame(start(join(folder, 'decider'), variables), works(folder));
});

test('folders of LD_LIBRARY_PATH stay, except those with libraries of the bundle', async (t) => {
  const folder = bundle(t);
  for (const [name, library] of [
    ['cuda', 'libcudart.so.13'],
    ['llama', 'libllama.so'],
    ['ggml', 'libggml-base.so.1'],
    ['vips', 'libvips-cpp.so.8.18.7'],
  ] as const) {
    mkdirSync(join(folder, '..', name));
    writeFileSync(join(folder, '..', name, library), '');
  }
  const path = (...names: string[]) => names.map((name) => join(folder, '..', name)).join(':');
  const given = (LD_LIBRARY_PATH: string) => start(join(folder, 'decider'), { LD_LIBRARY_PATH });
  t.strictSame(
    given(`:${path('llama', 'cuda', 'ggml')};${path('missing', 'vips')}:`),
    works(folder, `LD_LIBRARY_PATH=${path('cuda', 'missing')}\n`),
  );
  t.strictSame(given(path('llama')), works(folder));
});

test('on a host without libstdc++, the program gets that of the bundle', async (t) => {
  const folder = bundle(t);
  const own = { FAKE_LIBRARIES: 'own' };
  t.strictSame(start(join(folder, 'decider'), own), works(folder, `LD_LIBRARY_PATH=${folder}/lib\n`));
  t.strictSame(
    start(join(folder, 'decider'), { ...own, LD_LIBRARY_PATH: '/opt/cuda' }),
    works(folder, `LD_LIBRARY_PATH=${folder}/lib:/opt/cuda\n`),
  );
  t.strictSame(start(join(folder, 'decider'), { FAKE_LIBRARIES: 'none' }), {
    status: 1,
    stdout: '',
    stderr:
      'decider needs glibc 2.34 or newer with its libraries, and cannot be loaded on this host: libstdc++.so.6 => not found\n',
  });
});
