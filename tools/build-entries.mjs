// Bundles what threads and processes of the program start with: one file for each instead of up to 300 modules, without
// the parts that it does not use. A preparing thread then starts in half of the time. Names are kept, and each module
// begins with a comment that names it, so that a stack trace can be read.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundler } from './bundler.mjs';

/** The modules below src/, without their ends. `entryFile` of src/base/entry-file.ts finds their bundles. */
export const ENTRIES = [
  'base/parent-watch',
  'batch/ingest/helper-thread',
  'batch/ingest/ingest-thread',
  'engine/addon/probe-devices',
  'engine/check/check-process',
  'engine/engine-worker',
  'engine/memory/measure-process',
  'http/transport/uws-transport',
  'http/trial/trial-process',
  'server/prepare-thread',
  'storage/database/administration/thread',
  'storage/database/batches/reading/reading-thread',
  'storage/folder/administration/thread',
  'storage/folder/batches/reading/reading-thread',
  'storage/folder/lmdb/writer-thread',
  'storage/folder/master-key/rekey-thread',
  'tasks/fits/fit-thread',
  'tuning/process/probe-process',
];

/** The command. What it imports later (`import()`) is in files of its own. */
export const COMMAND = 'cli/main';

const FOLDER = join('dist', 'entries');
const OPTIONS = [
  '--bundle',
  '--platform=node',
  '--target=node20',
  '--format=esm',
  '--packages=external',
  '--external:#native/*',
  '--sourcemap',
  '--sources-content=false',
  '--charset=utf8',
  '--legal-comments=none',
  '--log-level=warning',
  `--outbase=${join('dist', 'src')}`,
];
const SOURCES = `src${sep}`;
const TOOL = fileURLToPath(import.meta.url);

/** A hash of what the bundles are made from. `sources`: the hash of each source by its path. */
export function entryInputs(sources) {
  const hash = createHash('sha1').update(readFileSync(TOOL));
  for (const [path, content] of sources) if (path.startsWith(SOURCES)) hash.update(`${path}\0${content}\0`);
  return hash.digest('base64');
}

/** Whether dist/ has all bundles; true without the bundler. */
export const hasEntries = (root) =>
  bundler() === null || compiled(root).every((entry) => existsSync(join(root, FOLDER, `${entry}.js`)));

/**
 * Bundles the compiled modules. Without the bundler there are no bundles, and the modules are used.
 *
 * @returns {string | null} what is wrong; null if nothing is
 */
export function bundleEntries(root) {
  const program = bundler();
  if (program === null) {
    rmSync(join(root, FOLDER), { recursive: true, force: true });
    return null;
  }
  // Beside the folder, because maps name sources relative to a bundle.
  const unfinished = `${FOLDER}.${process.pid}.tmp`;
  const bundle = (entries, ...options) => {
    if (entries.length === 0) return null;
    const files = entries.map((entry) => join('dist', 'src', `${entry}.js`));
    const args = [...files, ...OPTIONS, ...options, `--outdir=${unfinished}`];
    const { status, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? null : (error?.message ?? stderr).trim();
  };
  const entries = compiled(root);
  const chunks = `--chunk-names=${dirname(COMMAND)}/[name]-[hash]`;
  try {
    const problem =
      bundle(entries.filter((entry) => entry !== COMMAND)) ??
      bundle(
        entries.filter((entry) => entry === COMMAND),
        '--splitting',
        chunks,
      );
    if (problem === null) replaceFolder(join(root, FOLDER), join(root, unfinished));
    return problem;
  } finally {
    rmSync(join(root, unfinished), { recursive: true, force: true });
  }
}

/** Moves files into a folder, where readers see the old file or the new one, and deletes the others in it. */
function replaceFolder(folder, next) {
  const made = filesBelow(next);
  // The command comes after what it imports.
  made.sort((a, b) => Number(a === `${COMMAND}.js`) - Number(b === `${COMMAND}.js`));
  for (const file of made) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    renameSync(join(next, file), join(folder, file));
  }
  for (const file of filesBelow(folder)) if (!made.includes(file)) rmSync(join(folder, file));
}

const compiled = (root) =>
  [...ENTRIES, COMMAND].filter((entry) => existsSync(join(root, 'dist', 'src', `${entry}.js`)));

const filesBelow = (folder) =>
  !existsSync(folder)
    ? []
    : readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1));
