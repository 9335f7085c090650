import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LONG } from './support/scale.js';
import { ROOT } from './support/sources.js';

/** A process that runs test files. */
export interface TestProcess {
  readonly name: string;
  /** Relative to the project, compiled. */
  readonly files: readonly string[];
  /** What Node runs: the only file, or the module that imports all of them. */
  readonly script: string;
}

const COMPILED = 'dist/test';
const TOGETHER = join(COMPILED, 'support/together.js');

/**
 * Folders whose files share processes, the longest first. Most of the processor time of a short file is the start of its
 * process: 0.3 s, and 0.4 s more where it loads the whole server. So a test must leave nothing behind that another one
 * notices. A folder comes before one that holds it. Files with a folder of their own (`tap.testdir`) cannot share a
 * process, where it would be that of all of them: those of `clients/`.
 */
const SHARED_FOLDERS = [
  // One browser, one server and one data folder for all of them.
  'console/browser',
  'server',
  'storage/database/postgres',
  'storage/database',
  'storage/folder',
  'storage/move',
  'evaluation',
  'batch',
  'http',
  'engine',
  'cli',
  'tidy',
  'access',
  'api',
  'base',
  'bench',
  'bundle',
  'client',
  'decide',
  'docs',
  'hub',
  'load',
  'models',
  'settings',
  'statistics',
  'tasks',
  'telemetry',
];
/** Those before it take longer than most files that have a process of their own. */
const FIRST_SHORT_FOLDER = SHARED_FOLDERS.indexOf('engine');
/** Folders whose files share no processes at full scale, where each of them takes tens of seconds. */
const LONG_FOLDERS = /^(server|storage)\b/;
/** Files that take longest; at full scale `bundle/hosts` mostly waits for a mirror of Debian, and `bench/gpu/whole-kit` for compilers. */
const LONGEST = [
  'bundle/hosts',
  'bench/gpu/whole-kit',
  'contract/node',
  'contract/uws',
  'contract/database',
  'console/browser/views',
  'tuning/numerics',
];
/** Files of these folders that take seconds, or measure or change the process that they run in. */
const ALONE: ReadonlySet<string> = new Set([
  // They move the time of their server, or stop it.
  'console/browser/access',
  'console/browser/old-facts',
  'console/browser/task-interruptions',
  'console/browser/usage',
  'console/browser/views',
  'storage/folder/ledger/other-process',
  'batch/callbacks',
  'storage/folder/batches/clock-glitches',
  'bench/batch',
  'bench/engine',
  'bench/gpu/kit',
  'bench/gpu/whole-kit',
  'bench/http',
  'bench/images',
  'bundle/contents',
  'bundle/hosts',
  'bundle/runs',
  'cli/add-model',
  'cli/batches',
  'cli/clock',
  'cli/closed-output',
  'cli/database',
  'cli/doctor-calendar',
  'cli/eval-fit',
  'cli/full-disk',
  'cli/hostile-models',
  'cli/load',
  'cli/loaded-modules',
  'cli/memory',
  'cli/on-database',
  'cli/models',
  'cli/pull-model',
  'cli/rekey',
  'cli/reload',
  'cli/serve',
  'cli/store-move',
  'cli/tune',
  'docs/cluster',
  'docs/commands',
  'docs/examples',
  'engine/check-model',
  'engine/count-memory',
  'engine/equality',
  'engine/gemma3',
  'engine/idle-budget',
  'engine/images',
  'engine/independent',
  'engine/memory',
  'engine/models',
  'engine/routing',
  'engine/schedules-first-half',
  'engine/schedules-second-half',
  'engine/split',
  'engine/thread',
  'engine/warm-up',
  'evaluation/fit',
  'evaluation/targets',
  'http/body',
  'http/exchanges',
  'http/read-turns',
  'http/slow-readers',
  'http/tls',
  'models/nano',
  'storage/database/postgres/pooler',
  'storage/database/postgres/restart',
  'storage/database/postgres/tls',
]);
/** Of one process, so that two processes end at about the same time. */
const FILES_MAX = 12;

/**
 * The processes that run the files whose path contains one of `parts`, or all of them. The longest come first, so that
 * all jobs end at about the same time. Throws if a file of `ALONE` or `LONGEST` does not exist.
 */
export function testProcesses(parts: readonly string[]): TestProcess[] {
  const all = readdirSync(join(ROOT, COMPILED), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => file.slice(0, -'.test.js'.length));
  const missing = [...ALONE, ...LONGEST].filter((name) => !all.includes(name));
  if (missing.length > 0)
    throw new Error(`processes.ts names files that do not exist: ${missing.join(', ')}`);
  const names = all
    .filter((name) => parts.length === 0 || parts.some((part) => `${name}.test.js`.includes(part)))
    .sort()
    // The first folders hold the shortest files.
    .reverse();
  const alone = names.filter((name) => ALONE.has(name) || !sharesProcess(folderOf(name)));
  const isLongest = (name: string) => LONGEST.includes(name);
  const shared = (folders: readonly string[]) =>
    folders.flatMap((folder) =>
      inPieces(names.filter((name) => folderOf(name) === folder && !alone.includes(name)).reverse()),
    );
  return [
    ...alone.filter(isLongest).map((name) => [name]),
    ...shared(SHARED_FOLDERS.slice(0, FIRST_SHORT_FOLDER)),
    ...alone.filter((name) => !isLongest(name)).map((name) => [name]),
    ...shared(SHARED_FOLDERS.slice(FIRST_SHORT_FOLDER)),
  ].map(processOf);
}

const sharesProcess = (folder: string | undefined) =>
  folder !== undefined && !(LONG && LONG_FOLDERS.test(folder));

const folderOf = (name: string) => SHARED_FOLDERS.find((folder) => name.startsWith(`${folder}/`));

function inPieces(names: readonly string[]): string[][] {
  const pieces = Math.ceil(names.length / FILES_MAX);
  return Array.from({ length: pieces }, (_, piece) => names.filter((_, at) => at % pieces === piece));
}

function processOf(names: readonly string[]): TestProcess {
  const files = names.map((name) => join(COMPILED, `${name}.test.js`));
  const [only] = files as [string];
  if (files.length === 1) return { name: only, files, script: only };
  const folder = folderOf(names[0] as string);
  return { name: `${COMPILED}/${folder}: ${names.length} files from ${names[0]}`, files, script: TOGETHER };
}
