import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { test } from 'tap';
import { importsIn, packageOf } from '../support/imports.js';
import { ROOT } from '../support/sources.js';

const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
const [packed] = JSON.parse(execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' })) as [
  { files: { path: string }[] },
];
const files = new Set(packed.files.map(({ path }) => path));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

test('package: it has what an installation needs, and nothing else of the repository', async (t) => {
  for (const file of [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'bin/decider.mjs',
    'deploy/alerts.yml',
    'deploy/grafana-dashboard.json',
    'deploy/prometheus.yml',
    'dist/models/tiny/main.js',
    'models/manifest.json',
    'models/random/manifest.json',
    'native/install.mjs',
    'native/llama/package-lock.json',
    'native/source/addon.cc',
  ]) {
    t.ok(files.has(file), file);
  }
  for (const file of files)
    t.notMatch(file, /^(src|test|bench|bundle)\/|^dist\/(test|bench|bundle)\/|\.map$/);
  const models = [...files].filter((file) => file.endsWith('.gguf'));
  t.match(models, [/^models\/nano\/decider-g-nano-\d{8}\.gguf$/]);
  t.equal(models.length, 1);
});

/** Whether a range of `engines` admits a version, for the forms that occur in the lockfile. */
function admits(range: string, version: string): boolean {
  const [major, minor, patch] = version.split('.').map(Number) as [number, number, number];
  const distance = (bound: readonly number[]) =>
    [major, minor, patch].map((part, at) => part - (bound[at] ?? 0)).find((part) => part !== 0) ?? 0;
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(>=|\^|<|)\s*(\d+(?:\.\d+)*)/g)].every(([, operator, bound = '']) => {
      const parts = bound.split('.').map(Number);
      const difference = distance(parts);
      if (operator === '<') return difference < 0;
      if (operator === '>=') return difference >= 0;
      return major === parts[0] && difference >= 0;
    }),
  );
}

test('package: npm ci warns of no package (EBADENGINE) on any supported version', async (t) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optional?: boolean; engines?: { node?: string } }>;
  };
  t.ok(admits('^20.19.0 || >=22', '22.0.0'));
  t.notOk(admits('^20.19.0 || >=22', '20.18.1'));
  for (const version of ['20.18.1', '22.12.0', '24.0.0', '26.0.0']) {
    // Of optional packages, npm installs those that fit, and does not warn of the others.
    const wrong = Object.entries(packages).filter(
      ([, { optional, engines }]) => !optional && !admits(engines?.node ?? '', version),
    );
    t.strictSame(
      wrong.map(([place]) => place),
      [],
      version,
    );
  }
});

test('package: every import leads to a file of it or to a runtime dependency', async (t) => {
  const installed = new Set([
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.optionalDependencies),
    ...builtinModules,
  ]);
  const scripts = [...files].filter((file) => /\.m?js$/.test(file));
  t.ok(scripts.length > 200);
  for (const script of scripts) {
    const text = readFileSync(join(ROOT, script), 'utf8');
    for (const name of importsIn(text)) {
      if (name.startsWith('.')) {
        t.ok(files.has(normalize(join(dirname(script), name))), `${script}: ${name}`);
      } else if (name.startsWith('#native/')) {
        t.ok(files.has(name.slice(1)), `${script}: ${name}`);
      } else {
        t.ok(installed.has(packageOf(name)), `${script}: ${name}`);
      }
    }
  }
});

/** What a server does not need: the data of the embedded model, its trainer, and the evaluation. */
const MODEL_SOURCES = ['bank', 'card', 'curves', 'evaluation', 'trainer'].map(
  (name) => `models/nano/${name}`,
);

test('package and container: they have the embedded model without its data and its trainer', async (t) => {
  const left = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const folder of MODEL_SOURCES) {
    t.ok(existsSync(join(ROOT, folder)), folder);
    t.strictSame(
      [...files].filter((file) => file.startsWith(folder) || file.startsWith(`dist/${folder}`)),
      [],
    );
    t.ok(left.includes(folder), `.dockerignore has ${folder}`);
  }
  t.ok(files.has('models/nano/README.md'));
});
