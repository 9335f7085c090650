// Which npm packages a bundle has: those of a production installation on its platform, without the ones that only the
// build uses.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../src/base/index.js';

/** What is used of an entry of `package-lock.json`. */
interface LockEntry {
  /** Of a package that is installed under another name. */
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockEntry>>;

/** A package of a bundle. */
export interface Package {
  /** Where it is installed, relative to the project: `node_modules/sharp`. */
  readonly folder: string;
  /** Its name in the registry. */
  readonly name: string;
  readonly version: string;
  /** SPDX, as the lockfile has it; '' if it has none. */
  readonly license: string;
  /** `sha512-` and base64; '' if the lockfile has none. */
  readonly integrity: string;
  /** The folders of the packages that it uses. */
  readonly uses: readonly string[];
  /** Its code is in dist/console.json, and its files are not in the bundle. */
  readonly inConsole: boolean;
}

/** Headers, compilers and types: used by `npm ci` and the build only. */
const BUILD_ONLY = /^(@swc\/wasm-typescript|node-addon-api|node-api-headers|@esbuild\/.+|@types\/.+)$/;
/** npm also installs llama.cpp's libraries for arm64 on x64. */
const OTHER_HOST = /^@node-llama-cpp\/(?!linux-x64)/;
/** The server does not load them. */
const CONSOLE = /^(@codemirror\/.+|@lezer\/.+|preact)$/;
const HOST = { os: 'linux', cpu: 'x64', libc: 'glibc' } as const;

interface Wanted {
  readonly console: boolean;
  /** Folders with a lockfile of their own besides the project, such as `native/cuda`. */
  readonly also: readonly string[];
}

/** The packages of a bundle, by folder. Throws OperatorError if one is not installed as its lockfile says. */
export function productionPackages(root: string, wanted: Wanted): Package[] {
  const lock = readLock(root);
  const names = dependencyNames(lock[''] as LockEntry);
  const program = reach(
    root,
    lock,
    names.filter((name) => !CONSOLE.test(name)),
  );
  const console = wanted.console
    ? reach(
        root,
        lock,
        names.filter((name) => CONSOLE.test(name)),
      )
    : [];
  const known = new Set(program.map(({ folder }) => folder));
  const all = [
    ...program,
    ...console.filter(({ folder }) => !known.has(folder)).map((each) => ({ ...each, inConsole: true })),
    ...wanted.also.flatMap((place) => {
      const own = readLock(join(root, place));
      const inside = (folder: string) => `${place}/${folder}`;
      return reach(join(root, place), own, dependencyNames(own[''] as LockEntry)).map((each) => ({
        ...each,
        folder: inside(each.folder),
        uses: each.uses.map(inside),
      }));
    }),
  ];
  return all.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function readLock(folder: string): Lock {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
}

const dependencyNames = ({ dependencies, optionalDependencies, peerDependencies }: LockEntry): string[] =>
  Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });

/** The packages with these names and all that they use. */
function reach(root: string, lock: Lock, names: readonly string[]): Package[] {
  const found = new Map<string, Package & { uses: string[] }>();
  const visit = (from: string, name: string): string[] => {
    if (BUILD_ONLY.test(name) || OTHER_HOST.test(name)) return [];
    const folder = resolve(lock, from, name);
    if (folder === null) return [];
    if (found.has(folder)) return [folder];
    const entry = lock[folder] as LockEntry;
    if (!isForHost(root, folder, entry)) return [];
    const uses: string[] = [];
    found.set(folder, describe(root, folder, entry, uses));
    for (const used of dependencyNames(entry)) uses.push(...visit(folder, used));
    return [folder];
  };
  for (const name of names) visit('', name);
  return [...found.values()];
}

/** The folder of a package as Node.js finds it: the nearest one upwards; null: not in the lockfile. */
function resolve(lock: Lock, from: string, name: string): string | null {
  const folder = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (folder in lock) return folder;
  if (from === '') return null;
  const above = from.lastIndexOf('/node_modules/');
  return resolve(lock, above === -1 ? '' : from.slice(0, above), name);
}

/** Whether a package belongs on the platform of the bundle. A fallback that npm did not install is left out. */
function isForHost(root: string, folder: string, { dev, optional, os, cpu, libc }: LockEntry): boolean {
  const fits = (values: readonly string[] | undefined, own: string) => values?.includes(own) ?? true;
  if (dev || !fits(os, HOST.os) || !fits(cpu, HOST.cpu) || !fits(libc, HOST.libc)) return false;
  const isFallback = optional === true && (os === undefined || cpu === undefined);
  return !isFallback || existsSync(join(root, folder));
}

function describe<Uses extends readonly string[]>(
  root: string,
  folder: string,
  entry: LockEntry,
  uses: Uses,
) {
  const { version, license = '', integrity = '' } = entry;
  const installed = installedVersion(join(root, folder));
  if (installed !== version) {
    const state = installed === null ? 'is not installed' : `is installed in version ${installed}`;
    throw new OperatorError(`${join(root, folder)}: ${version} of package-lock.json ${state}. Run: npm ci`);
  }
  const name = entry.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return { folder, name, version, license, integrity, uses, inConsole: false };
}

function installedVersion(folder: string): string | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
