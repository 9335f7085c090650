// Which files of the project and of this machine a bundle has, and where: the places are those of the npm package.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addonFile, type Backend, libraries, NATIVE } from '#native/platform.mjs';
import { OperatorError } from '../src/base/index.js';
import { filesOfPackage, isShipped, listFiles } from './package-files.js';
import type { Package } from './packages.js';

/** What a file belongs to, for the report of sizes. */
export type Part =
  | 'Node.js'
  | 'llama.cpp'
  | 'addon'
  | 'packages'
  | 'program'
  | 'model'
  | 'console'
  | 'benchmarks'
  | 'documentation'
  | 'compiler libraries'
  | 'manifest, licenses';

/** A file of a bundle. */
export interface Entry {
  /** Relative to the folder of the bundle. */
  readonly path: string;
  readonly mode: '0644' | '0755';
  readonly part: Part;
  /** The file that is copied, or the text. */
  readonly content: { readonly file: string } | { readonly text: string };
}

/** What `npm run bundle` was asked for. */
export interface BundleOptions {
  readonly backend: Backend;
  /** Leaves out console, benchmarks and documentation. */
  readonly slim: boolean;
}

/** Each bundle has the backend for the CPU too: `auto` uses it where there is no GPU. */
export const backendsOf = (backend: Backend): Backend[] => (backend === 'cpu' ? ['cpu'] : [backend, 'cpu']);

/** They use modules of the tests, or packages of their own. */
const BENCHMARKS_LEFT_OUT =
  /^((attacks|batch|cluster|gpu|http|json|loop|references|shadow)(\/|\.js)|memory(\.js|\/actual-process\.js))/;

/** Secrets and data that an operator has written into the clone; `.gitignore`, `.dockerignore` and `package.json` have them too. */
const SECRET =
  /(^|\/)(\.env|operator\.token|decider\.json|[^/]*\.(key|key\.[^/]*|pem|mdb|decider|archive\.jsonl))$/;

const copied = (root: string, part: Part, path: string, mode: Entry['mode'] = '0644'): Entry => ({
  path,
  mode,
  part,
  content: { file: join(root, path) },
});

/** The files of the program: its JavaScript, its model, its pages. Throws OperatorError if it is not built. */
export function programFiles(root: string, slim: boolean): Entry[] {
  const below = (folder: string, accepted: RegExp) =>
    listFiles(join(root, folder))
      .filter((path) => accepted.test(path) && !SECRET.test(path))
      .map((path) => `${folder}/${path}`);
  const own = (part: Part, paths: readonly string[]) => paths.map((path) => copied(root, part, path));
  const needed = [
    copied(root, 'program', 'bin/decider.mjs', '0755'),
    ...own('program', [
      'LICENSE',
      'package.json',
      'native/control-groups.mjs',
      'native/platform.mjs',
      'tools/build.mjs',
      'tools/build-console.mjs',
      'tools/build-entries.mjs',
      'tools/bundler.mjs',
      ...below('deploy', /^/),
      ...below('dist/src', /^(?!console\/).*\.js$/),
      ...below('dist/entries', /\.js$/),
    ]),
    ...own('model', ['models/manifest.json', 'models/manifest.schema.json', ...embeddedModels(root)]),
  ];
  if (slim) return needed;
  const benchmarks = below('dist/bench', /\.js$/).filter(
    (path) => !BENCHMARKS_LEFT_OUT.test(path.slice('dist/bench/'.length)),
  );
  return [
    ...needed,
    ...own('console', [requireConsole(root)]),
    ...own('benchmarks', [...benchmarks, ...below('dist/models/tiny', /\.js$/)]),
    ...own('documentation', [
      'CHANGELOG.md',
      'README.md',
      'SECURITY.md',
      'models/README.md',
      'models/nano/README.md',
      ...below('docs', /^/),
    ]),
  ];
}

function requireConsole(root: string): string {
  const path = 'dist/console.json';
  if (existsSync(join(root, path))) return path;
  throw new OperatorError(
    `${path} does not exist: its bundler is not installed. Run npm ci, or give --slim.`,
  );
}

/** The files that the manifest of the embedded models names. */
function embeddedModels(root: string): string[] {
  const { models } = JSON.parse(readFileSync(join(root, 'models/manifest.json'), 'utf8')) as {
    models: readonly { readonly builds: readonly { readonly file: string }[] }[];
  };
  return models.flatMap(({ builds }) => builds.map(({ file }) => `models/${file}`));
}

/** The files of packages; those of llama.cpp are a part of their own. `abi`: of Node.js, `process.versions.modules`. */
export function packageFiles(root: string, packages: readonly Package[], abi: string): Entry[] {
  return packages
    .filter(({ inConsole }) => !inConsole)
    .flatMap(({ folder, name }) => {
      const part = name.startsWith('@node-llama-cpp/') ? 'llama.cpp' : 'packages';
      return filesOfPackage(join(root, folder))
        .filter((path) => isShipped(name, path, abi))
        .map((path) => copied(root, part, `${folder}/${path}`));
    });
}

/** The addons of the backends. Throws OperatorError if one is not built, or its libraries are not installed. */
export function addonFiles(root: string, backends: readonly Backend[]): Entry[] {
  return backends.map((backend) => {
    const file = addonFile(backend);
    if (libraries(backend) === null || !existsSync(file)) {
      const command = backend === 'cpu' ? 'npm ci' : `npm run install:${backend}`;
      throw new OperatorError(`The libraries or the addon for ${backend} are not installed. Run: ${command}`);
    }
    return copied(root, 'addon', `native/${file.slice(NATIVE.length + 1)}`);
  });
}
