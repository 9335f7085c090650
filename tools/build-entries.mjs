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
  'tuning/process/probe-process',
];

const FOLDER = join('dist', 'entries');
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
  const entries = compiled(root);
  if (program === null) rmSync(join(root, FOLDER), { recursive: true, force: true });
  if (program === null || entries.length === 0) return null;
  // Beside the folder, because maps name sources relative to a bundle.
  const unfinished = `${FOLDER}.${process.pid}.tmp`;
  try {
    const { status, stderr, error } = spawnSync(
      program,
      [
        ...entries.map((entry) => join('dist', 'src', `${entry}.js`)),
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
        `--outdir=${unfinished}`,
      ],
      { cwd: root, encoding: 'utf8' },
    );
    if (status !== 0) return (error?.message ?? stderr).trim();
    const made = filesBelow(join(root, unfinished));
    for (const file of made) {
      const place = join(root, FOLDER, file);
      mkdirSync(dirname(place), { recursive: true });
      // Readers see the old file or the new one.
      renameSync(join(root, unfinished, file), place);
    }
    for (const file of filesBelow(join(root, FOLDER)))
      if (!made.includes(file)) rmSync(join(root, FOLDER, file));
    return null;
  } finally {
    rmSync(join(root, unfinished), { recursive: true, force: true });
  }
}

const compiled = (root) => ENTRIES.filter((entry) => existsSync(join(root, 'dist', 'src', `${entry}.js`)));

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1));
