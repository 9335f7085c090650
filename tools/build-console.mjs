// Bundles the web consoles (src/console) for browsers into one file, dist/console.json: for each console, every asset
// with its type, and its bytes as they are, compressed with Brotli and with gzip. One file, so that a reader sees one
// version of all of it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { bundler } from './bundler.mjs';

const SOURCES = 'src/console';
/** The consoles, with the folder of each one's page (`index.html`) and entry (`main.tsx`), relative to `SOURCES`. */
const CONSOLES = { user: '.', operator: 'operator' };
/** What the console imports of the other sources. */
const SHARED = ['src/api', 'src/client'];
const TOOL = fileURLToPath(import.meta.url);

/** The oldest browsers that run the console: those with `CompressionStream` and `Object.hasOwn`. */
const TARGET = 'es2022,chrome109,firefox113,safari16.4';
/** How the names of files begin that are loaded later. */
const PART = 'part';
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** A hash of everything the bundle is made from; null if the folder has no console. */
export function consoleInputs(root) {
  if (!existsSync(join(root, SOURCES))) return null;
  const hash = createHash('sha1');
  const shared = SHARED.flatMap((folder) => list(join(root, folder)));
  const files = [...list(join(root, SOURCES)), ...shared, join(root, 'package.json'), TOOL];
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('base64');
}

const list = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

/**
 * Bundles the consoles.
 *
 * @returns {{text: string} | {problem: string} | null} the content of dist/console.json, or what is wrong with a
 *   source; null if the bundler is not installed
 */
export function bundleConsole(root) {
  const program = bundler();
  if (program === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'decider-console-'));
  try {
    const sites = {};
    for (const [name, place] of Object.entries(CONSOLES)) {
      const out = join(folder, name);
      const { status, stderr, error } = spawnSync(program, argumentsFor(place, out), {
        cwd: root,
        encoding: 'utf8',
      });
      if (status !== 0) return { problem: (error?.message ?? stderr).trim() };
      sites[name] = filesOf(root, out, place);
    }
    return { text: JSON.stringify(sites) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a console imports later (`import()`) is in files of its own, whose names hold their content's hash too. */
const argumentsFor = (place, out) => [
  join(SOURCES, place, 'main.tsx'),
  '--bundle',
  '--splitting',
  `--chunk-names=${PART}-[hash]`,
  '--minify',
  '--format=esm',
  `--target=${TARGET}`,
  '--jsx=automatic',
  '--jsx-import-source=preact',
  `--tsconfig=${SOURCES}/tsconfig.json`,
  '--charset=utf8',
  '--legal-comments=none',
  '--log-level=warning',
  `--outdir=${out}`,
];

/**
 * The page of a console, which holds its styles so that it is shown as soon as it has arrived, and the files that it loads.
 * A file's name holds a hash of its content, so it never changes.
 *
 * @param out what the bundler wrote
 * @param place one of `CONSOLES`
 */
function filesOf(root, out, place) {
  const script = named('main.js', readFileSync(join(out, 'main.js')));
  const styles = readFileSync(join(out, 'main.css'), 'utf8').trim();
  const parts = list(out)
    .filter((file) => basename(file).startsWith(PART))
    .map((file) => ({ name: basename(file), bytes: readFileSync(file) }));
  const icon = named('icon.svg', readFileSync(join(root, SOURCES, 'icon.svg')));
  const files = [script, icon];
  const page = readFileSync(join(root, SOURCES, place, 'index.html'), 'utf8')
    .replace(/\{(\w+\.\w+)\}/g, (_, name) => files.find((file) => file.source === name).name)
    .replace('<style></style>', () => `<style>${styles}</style>`);
  return [
    { name: 'index.html', bytes: Buffer.from(withPreloads(page, script.bytes)) },
    ...files,
    ...parts,
  ].map(({ name, bytes }) => ({
    name,
    type: `${TYPES[name.split('.').at(-1)]}; charset=utf-8`,
    identity: bytes.toString('base64'),
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).toString(
      'base64',
    ),
    gzip: gzipSync(bytes, { level: 9 }).toString('base64'),
  }));
}

/** The page, which asks for the parts that its script begins with before the script has arrived. */
function withPreloads(page, script) {
  const parts = [...String(script).matchAll(/from\s*"\.\/([^"]+)"/g)].map(([, name]) => name);
  const links = [...new Set(parts)].map((name) => `<link rel="modulepreload" href="console/${name}">\n`);
  return page.replace('</head>', `${links.join('')}</head>`);
}

function named(source, bytes) {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const [name, extension] = source.split('.');
  return { source, name: `${name}-${hash}.${extension}`, bytes };
}
