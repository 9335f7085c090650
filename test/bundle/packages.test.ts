import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { productionPackages } from '../../bundle/packages.js';

type Entry = Readonly<Record<string, unknown>>;

/** A project with a lockfile; what is installed is `installed`, as folder and version. */
function project(
  t: Test,
  packages: Readonly<Record<string, Entry>>,
  installed: Readonly<Record<string, string>>,
) {
  const root = t.testdir({ 'package-lock.json': JSON.stringify({ packages }) });
  for (const [folder, version] of Object.entries(installed)) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'package.json'), JSON.stringify({ version }));
  }
  return root;
}

const wanted = { console: false, also: [] };
const folders = (root: string, own = wanted) => productionPackages(root, own).map(({ folder }) => folder);

test('the packages of a bundle are those that its dependencies use, without development and build', async (t) => {
  const packages = {
    '': {
      dependencies: { a: '1', 'node-addon-api': '1', '@swc/wasm-typescript': '1' },
      devDependencies: { tap: '1' },
    },
    'node_modules/a': {
      version: '1.0.0',
      dependencies: { b: '2', '@types/x': '1' },
      peerDependencies: { p: '1' },
    },
    'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { c: '1' } },
    'node_modules/b': { version: '1.0.0', dev: true },
    'node_modules/c': { version: '1.0.0', dependencies: { a: '1' } },
    'node_modules/p': { version: '1.0.0', dev: true },
    'node_modules/tap': { version: '1.0.0', dev: true },
    'node_modules/node-addon-api': { version: '1.0.0' },
    'node_modules/@swc/wasm-typescript': { version: '1.0.0' },
    'node_modules/@types/x': { version: '1.0.0' },
  };
  const root = project(t, packages, {
    'node_modules/a': '1.0.0',
    'node_modules/a/node_modules/b': '2.0.0',
    'node_modules/c': '1.0.0',
  });
  t.match(productionPackages(root, wanted), [
    { folder: 'node_modules/a', name: 'a', version: '1.0.0', uses: ['node_modules/a/node_modules/b'] },
    { folder: 'node_modules/a/node_modules/b', name: 'b', version: '2.0.0', uses: ['node_modules/c'] },
    { folder: 'node_modules/c', name: 'c', uses: ['node_modules/a'] },
  ]);
});

test('the packages of other platforms are left out', async (t) => {
  const names = ['l', 'd', 'm', 'w'];
  const packages = {
    '': { optionalDependencies: Object.fromEntries(names.map((name) => [name, '1'])) },
    'node_modules/l': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
    'node_modules/d': { version: '1.0.0', optional: true, os: ['darwin'], cpu: ['x64'] },
    'node_modules/m': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'node_modules/w': { version: '1.0.0', optional: true },
  };
  t.strictSame(folders(project(t, packages, { 'node_modules/l': '1.0.0' })), ['node_modules/l']);
  const all = { 'node_modules/l': '1.0.0', 'node_modules/w': '1.0.0', 'node_modules/d': '1.0.0' };
  t.strictSame(folders(project(t, packages, all)), ['node_modules/l', 'node_modules/w']);
});

test('the packages of the console are named if the bundle has it', async (t) => {
  const packages = {
    '': { dependencies: { preact: '1', a: '1' } },
    'node_modules/preact': { version: '1.0.0', dependencies: { a: '1', b: '1' } },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '1.0.0' },
  };
  const names = ['preact', 'a', 'b'];
  const root = project(
    t,
    packages,
    Object.fromEntries(names.map((name) => [`node_modules/${name}`, '1.0.0'])),
  );
  t.strictSame(folders(root), ['node_modules/a']);
  const found = productionPackages(root, { console: true, also: [] });
  t.strictSame(
    found.map(({ folder, inConsole }) => [folder, inConsole]),
    [
      ['node_modules/a', false],
      ['node_modules/b', true],
      ['node_modules/preact', true],
    ],
  );
});

test('the packages of a backend have a lockfile of their own', async (t) => {
  const root = project(t, { '': {} }, { 'native/cuda/node_modules/@node-llama-cpp/linux-x64-cuda': '3.0.0' });
  const packages = {
    '': { dependencies: { '@node-llama-cpp/linux-x64-cuda': '3.0.0' } },
    'node_modules/@node-llama-cpp/linux-x64-cuda': { version: '3.0.0', license: 'MIT' },
  };
  writeFileSync(join(root, 'native/cuda/package-lock.json'), JSON.stringify({ packages }));
  t.match(productionPackages(root, { console: false, also: ['native/cuda'] }), [
    {
      folder: 'native/cuda/node_modules/@node-llama-cpp/linux-x64-cuda',
      name: '@node-llama-cpp/linux-x64-cuda',
      license: 'MIT',
    },
  ]);
});

test('a package that is not installed as locked ends the bundle with its name', async (t) => {
  const packages = { '': { dependencies: { a: '1' } }, 'node_modules/a': { version: '1.0.0' } };
  t.throws(() => folders(project(t, packages, {})), {
    message: /node_modules\/a: 1\.0\.0 of package-lock\.json is not installed\. Run: npm ci$/,
  });
  t.throws(() => folders(project(t, packages, { 'node_modules/a': '1.0.1' })), {
    message: /node_modules\/a: 1\.0\.0 of package-lock\.json is installed in version 1\.0\.1\. Run: npm ci$/,
  });
});

test('a package under another name has the name of the registry', async (t) => {
  const packages = {
    '': { dependencies: { 'uWebSockets.js': '1' } },
    'node_modules/uWebSockets.js': { name: 'uws-pack', version: '20.0.8' },
  };
  const [found] = productionPackages(
    project(t, packages, { 'node_modules/uWebSockets.js': '20.0.8' }),
    wanted,
  );
  t.match(found, { folder: 'node_modules/uWebSockets.js', name: 'uws-pack' });
});
