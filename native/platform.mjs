// Which prebuilt llama.cpp libraries belong to this machine, and where they lie. Read by the build at
// install and by the loader at run time (src/engine/addon), so that both look in the same places.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder `native/`. */
export const NATIVE = dirname(fileURLToPath(import.meta.url));

/** The folder of everything built here. */
export const BUILD = join(NATIVE, 'build');

/** The sources of the addon; a bundle has none. */
export const SOURCES = join(NATIVE, 'source');

/** The file with the digest of the sources that the addon was built from. */
export const SOURCES_STAMP = join(BUILD, 'sources');

/** Backends from the best to the one that always works; `package` is null where the platform has none. */
const PLATFORMS = {
  'linux-x64': { cuda: 'linux-x64-cuda', vulkan: 'linux-x64-vulkan', cpu: 'linux-x64' },
  'linux-arm64': { cpu: 'linux-arm64' },
  'darwin-arm64': { metal: 'mac-arm64-metal' },
  'darwin-x64': { cpu: 'mac-x64' },
};

const PACKAGE = dirname(NATIVE);
/** Whether this package is a dependency of another project, and not a clone of its own repository. */
const isDependency = basename(dirname(PACKAGE)) === 'node_modules';
const run = isDependency ? `npm run --prefix ${relative(process.cwd(), PACKAGE) || '.'}` : 'npm run';

/** The manifest of a bundle (`npm run bundle`), in its folder. */
export const BUNDLE_MANIFEST = 'bundle.json';

/** Whether this program is a bundle, which has its own Node.js and all its libraries, and no npm. */
export const IS_BUNDLE = existsSync(join(PACKAGE, BUNDLE_MANIFEST));

const repair = 'Unpack the archive of the bundle again';

// Without a period, so that a command can be copied.
const remedy = (command) => (IS_BUNDLE ? repair : `Run: ${command}`);
const backendRemedy = (backend) =>
  IS_BUNDLE ? `Use the bundle for ${backend} in place of this one` : `Run: ${run} install:${backend}`;

/** What to do where the addon is not built. */
export const ADDON_REMEDY = remedy(`${run} install:addon`);

/** What to do where the libraries that come with the package are not installed. */
export const LIBRARIES_REMEDY = remedy('npm ci');

/** What to do where the libraries of a backend that do not come with the package are not installed. */
export const BACKEND_REMEDIES = { cuda: backendRemedy('cuda'), vulkan: backendRemedy('vulkan') };

/** Below whose node_modules libraries may lie; npm puts a dependency's dependencies beside it. */
const folders = [
  PACKAGE,
  join(NATIVE, 'cuda'),
  join(NATIVE, 'vulkan'),
  ...(isDependency ? [dirname(dirname(PACKAGE))] : []),
];

/** @returns {{platform: string, supported: boolean, backends: string[]}} the backends this platform can have */
export function platform() {
  const name = `${process.platform}-${process.arch}`;
  return { platform: name, supported: name in PLATFORMS, backends: Object.keys(PLATFORMS[name] ?? {}) };
}

/** @returns {string | null} the folder of a backend's libraries, null where they are not installed */
export function libraries(backend) {
  const name = PLATFORMS[platform().platform]?.[backend];
  if (name === undefined) return null;
  for (const folder of folders) {
    const path = join(folder, 'node_modules', '@node-llama-cpp', name, 'bins', name);
    if (existsSync(path)) return path;
  }
  return null;
}

/** @returns {{llama: string, ggml: string, base: string}} the libraries' file names; each backend has its own */
export function libraryFiles(folder) {
  const files = readdirSync(folder).filter((file) => /\.(so|dylib)$/.test(file));
  const find = (pattern) => files.find((file) => pattern.test(file));
  return { llama: find(/^libllama\.(?!common)/), ggml: find(/^libggml\./), base: find(/^libggml-base\./) };
}

/** @returns {string} the addon linked against a backend's libraries */
export function addonFile(backend) {
  return join(BUILD, `decider-${backend}.node`);
}

/** @returns {string} a digest of the names and contents of the sources, which is the same in every folder */
export function sourcesDigest() {
  const hash = createHash('sha256');
  for (const file of readdirSync(SOURCES).sort()) hash.update(file).update(readFileSync(join(SOURCES, file)));
  return hash.digest('hex');
}

/** @returns {boolean} whether the addon was built from other sources, as after an update without `npm ci` */
export function isAddonOld() {
  if (!existsSync(SOURCES)) return false;
  return !existsSync(SOURCES_STAMP) || readFileSync(SOURCES_STAMP, 'utf8') !== sourcesDigest();
}
