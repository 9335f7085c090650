// Compiles the TypeScript sources to JavaScript below dist/, file by file, without checking types: `npm run check`
// does that. Needs no development dependency, so that a clone installed with --omit=dev can build itself.
//
//   npm run build      compiles what changed since the last run
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleConsole, consoleInputs } from './build-console.mjs';
import { bundleEntries, entryInputs, hasEntries } from './build-entries.mjs';

/** The folders of `decider` itself, and those that only its maintainers need. */
export const PROGRAM = ['src', 'models'];
export const EVERYTHING = [...PROGRAM, 'bench', 'bundle', 'examples', 'test'];

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const DEPENDENCIES = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies;
/** Recompiles everything when it changes. */
const COMPILER = `@swc/wasm-typescript ${DEPENDENCIES['@swc/wasm-typescript']}, transform, verbatim`;

/** The bundle of the web console. */
const CONSOLE = join('dist', 'console.json');

/** A source cannot be compiled; the message names it. */
export class BuildError extends Error {}

/**
 * Brings dist/ up to date with the sources in `folders`: compiles those whose content changed and deletes outputs
 * without a source. Sources are compared by hash: file times change with every checkout and copy.
 * Without a change it only reads (20 ms for the program) and does not load the compiler. In a package,
 * which has dist/ and no sources, it does nothing.
 *
 * @param {readonly string[]} folders below `root`
 * @returns {{compiled: string[], deleted: string[]}} paths relative to `root`
 */
export function build(folders, root = ROOT) {
  if (!existsSync(join(root, 'src'))) return { compiled: [], deleted: [] };
  const stampFile = join(root, 'dist', '.build.json');
  const stamp = readStamp(stampFile);
  const sources = new Map(folders.flatMap((folder) => listSources(root, folder)));
  const changed = [...sources].filter(
    ([path, hash]) => stamp.files[path] !== hash || !existsSync(join(root, outputOf(path))),
  );
  const orphans = folders.flatMap((folder) => listOrphans(root, folder, sources));
  const bundled = buildConsole(root, stamp) ? [CONSOLE] : [];
  const inputs = entryInputs(sources);
  const hasOldEntries = stamp.entries !== inputs || !hasEntries(root);
  if (changed.length + orphans.length + bundled.length === 0 && !hasOldEntries)
    return { compiled: [], deleted: [] };
  for (const path of orphans) rmSync(join(root, path));
  try {
    for (const [path, hash] of changed) {
      compile(root, path);
      stamp.files[path] = hash;
    }
    if (hasOldEntries) {
      const problem = bundleEntries(root);
      if (problem !== null) throw new BuildError(problem);
      stamp.entries = inputs;
    }
  } finally {
    // Also if a source cannot be compiled: the outputs before it have changed.
    for (const path of Object.keys(stamp.files)) if (!existsSync(join(root, path))) delete stamp.files[path];
    writeWhole(stampFile, JSON.stringify(stamp));
  }
  return { compiled: [...changed.map(([path]) => path), ...bundled], deleted: orphans };
}

/** Brings the bundle of the web console up to date; whether it was. Without its bundler, the server has no console. */
function buildConsole(root, stamp) {
  const inputs = consoleInputs(root);
  const file = join(root, CONSOLE);
  if (inputs === null || (stamp.console === inputs && existsSync(file))) return false;
  const bundle = bundleConsole(root);
  if (bundle === null) return false;
  if (bundle.problem !== undefined) throw new BuildError(bundle.problem);
  writeWhole(file, bundle.text);
  stamp.console = inputs;
  return true;
}

function readStamp(file) {
  try {
    const stamp = JSON.parse(readFileSync(file, 'utf8'));
    if (stamp.compiler === COMPILER) return stamp;
  } catch (error) {
    if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
  }
  return { compiler: COMPILER, files: {} };
}

const isSource = (path) => path.endsWith('.ts') && !path.endsWith('.d.ts');
const outputOf = (path) => join('dist', path.replace(/\.ts$/, '.js'));

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** @returns {[path: string, hash: string][]} */
function listSources(root, folder) {
  return listFiles(join(root, folder))
    .filter(isSource)
    .map((file) => [relative(root, file), createHash('sha1').update(readFileSync(file)).digest('base64')]);
}

function listOrphans(root, folder, sources) {
  return listFiles(join(root, 'dist', folder))
    .map((file) => relative(root, file))
    .filter((path) => /\.js(\.map)?$/.test(path))
    .filter((path) => !sources.has(relative('dist', path).replace(/\.js(\.map)?$/, '.ts')));
}

function compile(root, path) {
  const output = join(root, outputOf(path));
  const { code, map } = transform(path, readFileSync(join(root, path), 'utf8'));
  const name = relative(dirname(output), `${output}.map`);
  const from = { ...JSON.parse(map), sources: [relative(dirname(output), join(root, path))] };
  writeWhole(`${output}.map`, JSON.stringify(from));
  writeWhole(output, `${code}\n//# sourceMappingURL=${name}\n`);
}

/**
 * Compiles one source, without checking types.
 *
 * @param {string} filename for messages and the source map
 * @returns {{code: string, map: string}}
 */
export function transform(filename, text) {
  try {
    return require('@swc/wasm-typescript').transformSync(text, {
      filename,
      mode: 'transform',
      sourceMap: true,
      transform: { verbatimModuleSyntax: true, noEmptyExport: true },
    });
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') throw new BuildError('The dependencies are missing. Run: npm ci');
    const { startLine, message } = error;
    throw new BuildError(`${filename}${startLine ? `:${startLine}` : ''}: ${message ?? error}`);
  }
}

/** Readers see the old file or the new one, whatever else builds at the same time. */
function writeWhole(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}.tmp`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const { compiled, deleted } = build(EVERYTHING);
    if (compiled.length + deleted.length > 0) {
      console.log(`decider: ${compiled.length} files compiled, ${deleted.length} deleted`);
    }
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
