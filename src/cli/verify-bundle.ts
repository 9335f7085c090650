import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  BUNDLE_MANIFEST,
  OperatorError,
  PROGRAM_FOLDER,
  sha256OfFile,
  showBytes,
  showCount,
} from '../base/index.js';
import { type BundledFile, type BundleManifest, readBundleManifest } from './bundle-manifest.js';
import { type Finding, ok, printFindings } from './findings.js';
import { reportError } from './output.js';

/** Problems printed. */
export const PROBLEMS_MAX = 100;
/** All permission bits, with those that change the user or the group. */
const MODE_BITS = 0o7777;
/** The folders of an archive have it. The bit that passes a folder's group on to its files changes nothing. */
const FOLDER_MODE = 0o2755;

/**
 * `decider verify-bundle`: compares the files of an unpacked bundle with its manifest, prints a line per check, and sets
 * the exit status. `folder`: another bundle than the one that runs.
 */
export const verifyBundle = (folder: string | undefined, options: { readonly json?: boolean }) =>
  reportError(() => printFindings(examineBundle(realFolder(folder ?? PROGRAM_FOLDER)), options));

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new OperatorError((error as Error).message);
  }
}

async function* examineBundle(folder: string): AsyncGenerator<Finding> {
  const { manifest, sha256 } = readBundleManifest(folder);
  yield ok('bundle', `${manifest.name}, Node.js ${manifest.node}, for glibc ${manifest.glibc} or newer`);
  const problems = await compare(folder, manifest);
  for (const detail of problems.slice(0, PROBLEMS_MAX)) yield { check: 'files', ok: false, detail };
  const more = problems.length - PROBLEMS_MAX;
  if (more > 0) yield { check: 'files', ok: false, detail: `${showCount(more)} more` };
  const bytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
  if (problems.length === 0) {
    const count = showCount(manifest.files.length);
    yield ok(
      'files',
      `${count} files with ${showBytes(bytes)} are as in ${BUNDLE_MANIFEST}, and there are no others`,
    );
  }
  yield ok(
    'manifest',
    `the SHA-256 of ${BUNDLE_MANIFEST} is ${sha256}. Compare it with the one that npm run bundle printed: no other check finds files that were changed together with ${BUNDLE_MANIFEST}`,
  );
}

/** A sentence per file or folder that differs from the manifest, in the order of their paths. */
async function compare(folder: string, { files }: BundleManifest): Promise<string[]> {
  const expected = new Map(files.map((file) => [file.path, file]));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const problems: { readonly path: string; readonly fault: string }[] = [];
  const found = new Set<string>();
  const unread = new Set<string>();
  const isHidden = (path: string) => ['.', ...foldersOf(path)].some((above) => unread.has(above));
  for (const { path, stats } of entriesOf(Buffer.from(folder))) {
    found.add(path);
    if (stats instanceof Error) {
      unread.add(path);
      problems.push({ path, fault: `cannot be read: ${stats.message}` });
      continue;
    }
    const file = expected.get(path);
    const isKnown = stats.isDirectory() ? folders.has(path) : file !== undefined || path === BUNDLE_MANIFEST;
    const fault = isKnown ? await faultOf(join(folder, path), stats, file) : 'was added';
    if (fault !== null) problems.push({ path, fault });
  }
  for (const { path } of files)
    if (!found.has(path) && !isHidden(path)) problems.push({ path, fault: 'is missing' });
  problems.sort((a, b) => (a.path < b.path ? -1 : 1));
  return problems.map(({ path, fault }) => `${path} ${fault}.`);
}

/** What is wrong with an entry whose name is right; null: nothing. `file`: what the manifest says of a file. */
async function faultOf(path: string, stats: Stats, file: BundledFile | undefined): Promise<string | null> {
  if (stats.isSymbolicLink()) return 'is a symbolic link';
  if (stats.isDirectory()) return modeFault(stats, FOLDER_MODE);
  if (!stats.isFile()) return 'is not a regular file';
  const fault = modeFault(stats, file === undefined ? 0o644 : Number.parseInt(file.mode, 8));
  if (fault !== null || file === undefined) return fault;
  if (stats.size !== file.size) return `has ${stats.size} bytes in place of ${file.size}`;
  try {
    const isEqual = (await sha256OfFile(path)) === file.sha256;
    return isEqual ? null : 'has another content';
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
}

/** A mode may have fewer bits than the archive, as after `chmod a-w` or with another umask, but no others. */
function modeFault({ mode }: Stats, expected: number): string | null {
  const bits = mode & MODE_BITS;
  if ((bits & ~expected) !== 0) return `has the mode ${octal(bits)} in place of ${octal(expected & 0o777)}`;
  const isExecutable = (each: number) => (each & 0o100) !== 0;
  return isExecutable(expected) && !isExecutable(bits)
    ? `has the mode ${octal(bits)} and cannot be run`
    : null;
}

const octal = (mode: number) => mode.toString(8).padStart(4, '0');

/** The folders above a file, relative to the bundle. */
function foldersOf(path: string): string[] {
  const above = dirname(path);
  return above === '.' ? [] : [above, ...foldersOf(above)];
}

interface FoundEntry {
  readonly path: string;
  /** The error: a folder whose entries cannot be listed, or a name that cannot be looked up. */
  readonly stats: Stats | Error;
}

/**
 * Every file, link and folder below a folder; links are not followed. What cannot be read is yielded with its error, so that
 * it does not hide the rest.
 *
 * @param folder by its bytes: names that are not UTF-8 have no other way
 */
function* entriesOf(folder: Buffer, below = ''): Generator<FoundEntry> {
  const names = orError(() => readdirSync(folder, { encoding: 'buffer' }));
  if (names instanceof Error) {
    yield { path: below === '' ? '.' : below, stats: names };
    return;
  }
  for (const name of names) {
    const path = below === '' ? `${name}` : `${below}/${name}`;
    const own = Buffer.concat([folder, Buffer.from('/'), name]);
    const stats = orError(() => lstatSync(own));
    yield { path, stats };
    if (!(stats instanceof Error) && stats.isDirectory()) yield* entriesOf(own, path);
  }
}

function orError<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}
