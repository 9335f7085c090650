// Everything that goes into a bundle, and what its manifest says of it.
import { closeSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError, VERSION } from '../src/base/index.js';
import {
  addonFiles,
  type BundleOptions,
  backendsOf,
  type Entry,
  packageFiles,
  programFiles,
} from './contents.js';
import { compilerLibraries, highest, isElf, readBinary, requireComplete } from './libraries.js';
import { licenseFile, packageLicenses } from './licenses.js';
import { llamaVersion, otherParts } from './other-parts.js';
import { type Package, productionPackages } from './packages.js';
import { billOfMaterials, type OtherPart } from './sbom.js';

/** A bundle that is not written yet. */
export interface Collected {
  /** Of its folder and its archive, such as `decider-0.1.0-linux-x64-cpu`. */
  readonly name: string;
  readonly platform: string;
  /** The version of llama.cpp. */
  readonly llama: string;
  /** The least version of glibc. */
  readonly glibc: string;
  readonly entries: readonly Entry[];
}

const PLATFORM = 'linux-x64';
/** The start script uses these libraries only on a host without them, so they do not count for its version of glibc. */
const COMPILER_FOLDER = 'lib/';

/** Collects the files of a bundle. `root`: of the project. Throws OperatorError. */
export async function collect(root: string, { backend, slim }: BundleOptions): Promise<Collected> {
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== PLATFORM) throw new OperatorError(`Bundles are made on ${PLATFORM}, not on ${platform}.`);
  const also = backend === 'cpu' ? [] : [`native/${backend}`];
  const addons = addonFiles(root, backendsOf(backend));
  const packages = productionPackages(root, { console: !slim, also });
  const node = realpathSync(process.execPath);
  const compiler = compilerLibraries(join(root, 'native/build/decider-cpu.node'));
  const copied: Entry[] = [
    { path: 'bin/node', mode: '0755', part: 'Node.js', content: { file: node } },
    ...addons,
    ...packageFiles(root, packages, process.versions.modules),
    ...programFiles(root, slim),
    ...compiler.map(
      ({ name, file }): Entry => ({
        path: `${COMPILER_FOLDER}${name}`,
        mode: '0644',
        part: 'compiler libraries',
        content: { file },
      }),
    ),
  ];
  const glibc = requiredGlibc(copied);
  const llama = llamaVersion();
  const others = await otherParts(root, { node, llama, compiler });
  const licenses = licenseFile([...packageLicenses(root, packages), ...others]);
  const sbom = `${JSON.stringify(materials(root, packages, others), null, 1)}\n`;
  const entries: Entry[] = [
    ...copied,
    { path: 'decider', mode: '0755', part: 'program', content: { text: startScript(root, glibc) } },
    {
      path: 'THIRD-PARTY-LICENSES.txt',
      mode: '0644',
      part: 'manifest, licenses',
      content: { text: licenses },
    },
    { path: 'sbom.cdx.json', mode: '0644', part: 'manifest, licenses', content: { text: sbom } },
  ];
  const name = `decider-${VERSION}-${platform}-${backend}${slim ? '-slim' : ''}`;
  return { name, platform, llama, glibc, entries };
}

/** The least version of glibc for all binaries. Throws OperatorError if one needs a library that is not there. */
function requiredGlibc(entries: readonly Entry[]): string {
  const binaries = entries.flatMap(({ path, content }) =>
    'file' in content && startsAsElf(content.file) ? [readBinary(content.file, path)] : [],
  );
  requireComplete(binaries);
  const versions = binaries.flatMap(({ path, glibc }) =>
    glibc === null || path.startsWith(COMPILER_FOLDER) ? [] : [glibc],
  );
  return highest(versions) as string;
}

function startsAsElf(file: string): boolean {
  const start = Buffer.alloc(4);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  return isElf(start);
}

/** The script `decider` of a bundle. */
export const startScript = (root: string, glibc: string): string =>
  readFileSync(join(root, 'bundle/decider.sh'), 'utf8').replaceAll('@GLIBC@', glibc);

function materials(root: string, packages: readonly Package[], others: readonly OtherPart[]): object {
  const program: OtherPart = {
    type: 'application',
    name: 'decider',
    version: VERSION,
    license: 'MIT',
    purl: `pkg:generic/decider@${VERSION}`,
  };
  return billOfMaterials(program, packages, [...others, ...models(root)], (folder) => insideOf(root, folder));
}

/** The embedded models. */
function models(root: string): OtherPart[] {
  const { models } = JSON.parse(readFileSync(join(root, 'models/manifest.json'), 'utf8')) as {
    models: readonly { id: string; builds: readonly { date: string; sha256: string }[] }[];
  };
  return models.flatMap(({ id, builds }) =>
    builds.map(
      ({ date, sha256 }): OtherPart => ({
        type: 'machine-learning-model',
        name: id,
        version: date,
        license: 'MIT',
        purl: `pkg:generic/${id}@${date}`,
        sha256,
      }),
    ),
  );
}

/** The libraries that are linked into libvips. */
function insideOf(root: string, folder: string): Readonly<Record<string, string>> | undefined {
  if (!folder.endsWith('/@img/sharp-libvips-linux-x64')) return undefined;
  return JSON.parse(readFileSync(join(root, folder, 'versions.json'), 'utf8'));
}
