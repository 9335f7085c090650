import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import { libraries } from '#native/platform.mjs';
import { type Collected, collect } from '../../bundle/collect.js';
import type { Entry } from '../../bundle/contents.js';
import { addonFiles } from '../../bundle/contents.js';
import { VERSION } from '../../src/base/index.js';
import { WHOLE_BUNDLE } from '../support/bundle.js';
import { importsIn, packageOf } from '../support/imports.js';
import { ROOT } from '../support/sources.js';

const NONE: Collected = { name: '', platform: '', llama: '', glibc: '', entries: [] };
const collected = async (slim: boolean) =>
  'skip' in WHOLE_BUNDLE ? NONE : collect(ROOT, { backend: 'cpu', slim });
const full = await collected(false);
const slim = await collected(true);
const pathsOf = (entries: readonly Entry[]) => new Set(entries.map(({ path }) => path));
const paths = pathsOf(full.entries);

const npm = (...args: string[]): string =>
  execFileSync('npm', [...args, '--loglevel=error'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 });

const textOf = ({ content }: Entry): string =>
  'file' in content ? readFileSync(content.file, 'utf8') : content.text;
const named = (path: string): Entry => full.entries.find((entry) => entry.path === path) as Entry;

test(
  'a bundle has each file once, and is named after version, platform and backend',
  WHOLE_BUNDLE,
  async (t) => {
    t.equal(paths.size, full.entries.length);
    t.equal(full.name, `decider-${VERSION}-linux-x64-cpu`);
    t.equal(slim.name, `decider-${VERSION}-linux-x64-cpu-slim`);
    for (const path of paths) t.equal(normalize(path), path);
  },
);

test(
  'the files of the program are at the places that they have in the npm package',
  WHOLE_BUNDLE,
  async (t) => {
    const [packed] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts'));
    const inPackage = new Set(packed.files.map(({ path }: { path: string }) => path));
    const same: ReadonlySet<string> = new Set(['program', 'model', 'console', 'documentation']);
    const own = full.entries.filter(({ path, part }) => same.has(part) && path !== 'decider');
    t.ok(own.length > 500);
    t.strictSame(
      own.map(({ path }) => path).filter((path) => !inPackage.has(path)),
      [],
    );
  },
);

for (const { name, entries } of [full, slim]) {
  test(`every import leads to a file or a package of the bundle: ${name}`, WHOLE_BUNDLE, async (t) => {
    const all = pathsOf(entries);
    const scripts = entries.filter(({ path }) => /^(?!node_modules\/).*\.m?js$/.test(path));
    t.ok(scripts.length > 400);
    const missing = scripts.flatMap((script) =>
      importsIn(textOf(script)).filter((imported) => {
        if (imported.startsWith('.')) return !all.has(normalize(join(dirname(script.path), imported)));
        if (imported.startsWith('#native/')) return !all.has(imported.slice(1));
        const used = packageOf(imported);
        return !builtinModules.includes(used) && !all.has(`node_modules/${used}/package.json`);
      }),
    );
    t.strictSame(missing, []);
  });
}

test('a bundle has Node.js, the addon, the libraries and the embedded model', WHOLE_BUNDLE, async (t) => {
  for (const path of [
    'bin/node',
    'decider',
    'lib/libstdc++.so.6',
    'lib/libgcc_s.so.1',
    'native/build/decider-cpu.node',
    'node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/libggml-base.so',
    'dist/console.json',
    'docs/operations.md',
    'dist/bench/devices.js',
    'deploy/alerts.yml',
  ]) {
    t.ok(paths.has(path), path);
  }
  t.equal([...paths].filter((path) => path.endsWith('.gguf')).length, 1);
  t.match(full.glibc, /^2\.\d\d$/);
});

test('--slim leaves out console, benchmarks and documentation', WHOLE_BUNDLE, async (t) => {
  const left = [...paths].filter((path) => !pathsOf(slim.entries).has(path));
  for (const path of left) t.match(path, /^(docs\/|dist\/bench\/|dist\/models\/|dist\/console\.json$)|\.md$/);
  t.ok(left.length > 80);
  t.notMatch(textOf(slim.entries.find(({ path }) => path === 'sbom.cdx.json') as Entry), /preact/);
});

test('the bill of materials has the packages that npm names, with its checksums', WHOLE_BUNDLE, async (t) => {
  interface Component {
    readonly name: string;
    readonly purl: string;
    readonly hashes?: readonly { readonly content: string }[];
  }
  // With --omit=dev, npm also leaves out packages that both production and development use.
  const ofNpm: { components: Component[] } = JSON.parse(
    npm('sbom', '--sbom-format=cyclonedx', '--package-lock-only'),
  );
  const known = new Map(ofNpm.components.map(({ purl, hashes }) => [purl, hashes?.[0]?.content]));
  const { components }: { components: Component[] } = JSON.parse(textOf(named('sbom.cdx.json')));
  const packages = components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
  t.ok(packages.length > 100);
  for (const { purl, hashes } of packages) t.equal(hashes?.[0]?.content, known.get(purl), purl);
  const others = components.filter((each) => !packages.includes(each)).map(({ name }) => name);
  t.strictSame(others.sort(), ['Node.js', 'decider-g-nano', 'libgcc_s', 'libstdc++', 'llama.cpp']);
});

test('the license texts are those of all components', WHOLE_BUNDLE, async (t) => {
  const text = textOf(named('THIRD-PARTY-LICENSES.txt'));
  const { components } = JSON.parse(textOf(named('sbom.cdx.json')));
  for (const { type, name, version, group } of components) {
    if (type === 'machine-learning-model') continue;
    t.ok(text.includes(`\n${'='.repeat(80)}\n${name} ${version}\n`), `${group ?? ''}${name}`);
  }
  for (const part of [
    'The ggml authors',
    'Node.js contributors',
    'GCC RUNTIME LIBRARY EXCEPTION',
    'LESSER GENERAL',
  ])
    t.match(text, part);
});

test(
  'a backend whose libraries are not installed ends the bundle with the command',
  WHOLE_BUNDLE,
  async (t) => {
    if (libraries('cuda') !== null) return t.comment('SKIPPED: the libraries for CUDA are installed here');
    t.throws(() => addonFiles(ROOT, ['cuda']), {
      message: /for cuda are not installed\. Run: npm run install:cuda$/,
    });
  },
);
