import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { endWithParent } from '../base/index.js';
import { printError } from './output.js';

/** LMDB reads mapped pages: a page that is damaged or missing ends the process that reads it with one of these. */
const CRASHES: ReadonlySet<string> = new Set(['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGILL', 'SIGFPE']);

/** The commands that read a file that may be damaged, by their first word, and what their crash means. */
const ISOLATED: Readonly<Record<string, (args: readonly string[], signal: string) => Promise<string>>> = {
  backup: damagedData,
  doctor: async (args, signal) =>
    `The check ended with ${signal}, as it does if the data file ${await dataFile(args)} is damaged. Run: decider verify`,
  restore: async (args, signal) =>
    `The content of the backup ${fileIn(args)} cannot be read (${signal}): it was damaged before it was backed up. Use an older backup.`,
  store: damagedData,
  verify: damagedData,
};

/** Sent on to the child, whose end then ends this process in the same way. */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The name of the child process, before the number of its parent. */
const CHILD = 'decider-isolated';

/**
 * Runs a command in a child process if the files that it reads may end the process, and prints one line if they did.
 * Returns false in that child, and for every other command: then run it here. A child ends with its parent.
 *
 * @param args the arguments of the command line, from the name of the command
 */
export async function runIsolated(args: readonly string[]): Promise<boolean> {
  const crashed = ISOLATED[args[0] ?? ''];
  if (crashed === undefined) return false;
  const [name, parent] = process.argv0.split(' ');
  if (name === CHILD) {
    endWithParent(Number(parent));
    return false;
  }
  // Two processes cannot have the same inspector port.
  const options = process.execArgv.filter((option) => !option.startsWith('--inspect'));
  const child = spawn(process.execPath, [...options, process.argv[1] as string, ...args], {
    argv0: `${CHILD} ${process.pid}`,
    stdio: descriptors([...args, process.env.DECIDER_CONFIG ?? '']),
  });
  const forwarded = FORWARDED.map((signal) => {
    const forward = () => child.kill(signal);
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  for (const stop of forwarded) stop();
  const hasCrashed = signal !== null && CRASHES.has(signal);
  if (hasCrashed) {
    // V8 aborts without memory, LMDB and glibc with damaged data.
    const doubt =
      signal === 'SIGABRT' ? 'Unless the lines above name another cause, such as a lack of memory: ' : '';
    printError(`${doubt}${await crashed(args, signal)}`);
  }
  process.exitCode = code ?? 1;
  if (signal !== null && !hasCrashed) {
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  }
  return true;
}

/** A descriptor above it is not passed on. */
const DESCRIPTOR_MAX = 255;

/** The descriptors of the child process: the standard ones, and those of paths that a shell puts in the place of `<(…)`. */
function descriptors(paths: readonly string[]): ('inherit' | 'ignore')[] {
  const named = paths
    .map((path) => Number(/(?:\/dev|\/proc\/self)\/fd\/(\d+)$/.exec(path)?.[1] ?? 0))
    .filter((descriptor) => descriptor <= DESCRIPTOR_MAX);
  return Array.from({ length: Math.max(2, ...named) + 1 }, (_, descriptor) =>
    descriptor <= 2 || named.includes(descriptor) ? 'inherit' : 'ignore',
  );
}

async function damagedData(args: readonly string[], signal: string): Promise<string> {
  return `The data file ${await dataFile(args)} is damaged: it cannot be read to its end (${signal}). Restore a backup into an empty data folder: decider restore FILE`;
}

/** The path; only a name if the configuration was a pipe, which cannot be read again. */
async function dataFile(args: readonly string[]): Promise<string> {
  const { config } = parsed(args).values;
  // Loaded only here: `main` loads this file for every command.
  const { loadSettings } = await import('../settings/index.js');
  const { dataFileOf } = await import('../storage/index.js');
  try {
    return dataFileOf(loadSettings(process.env, config).data);
  } catch {
    return dataFileOf('');
  }
}

const fileIn = (args: readonly string[]) => parsed(args).positionals[1] ?? '';

/** The commands of ISOLATED have no other option with a value before a file. */
const parsed = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: { config: { type: 'string' }, to: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  }) as { readonly values: { readonly config?: string }; readonly positionals: readonly string[] };
