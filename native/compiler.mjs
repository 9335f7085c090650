// The C++ compiler of this machine, and compiling many files with it at once.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { NATIVE } from './platform.mjs';

const run = promisify(execFile);

/** Ends the install with one message that says what to do. */
export class Remedy extends Error {}

/** @returns {string[]} the compiler and its own arguments: `CXX` may be `ccache g++ -m64` */
export function findCompiler() {
  const candidates = process.env.CXX?.trim() ? [process.env.CXX.trim()] : ['c++', 'g++', 'clang++'];
  const found = candidates
    .map((command) => command.split(/\s+/))
    .find(([program, ...own]) => spawnSync(program, [...own, '--version']).status === 0);
  if (found) return found;
  throw new Remedy(
    process.platform === 'darwin'
      ? 'decider needs a C++ compiler. Run: xcode-select --install'
      : `decider needs a C++17 compiler (${candidates.join(', ')}). On Debian and Ubuntu: apt-get install g++ · on Fedora: dnf install gcc-c++ · on Alpine-based images: use a glibc image instead`,
  );
}

/**
 * A flag of every file: paths in the messages of assertions are relative to the package, so that the same sources give the
 * same bytes in every folder. Flags are part of the hash of a build, which must not depend on the folder either.
 */
export const RELATIVE_PATHS = '-ffile-prefix-map=PACKAGE=.';
const withFolder = (flag) => (flag === RELATIVE_PATHS ? flag.replace('PACKAGE', dirname(NATIVE)) : flag);

/**
 * The processors of this process, or fewer if its container has a CPU quota, which Node.js 20 does not count. `root`
 * replaces the root of the file system in tests.
 */
export function processors(root = '/', all = availableParallelism()) {
  const groups = join(root, 'sys/fs/cgroup');
  const [quota, period] = [
    ...numbersIn(join(groups, 'cpu.max')),
    ...numbersIn(join(groups, 'cpu/cpu.cfs_quota_us')),
    ...numbersIn(join(groups, 'cpu/cpu.cfs_period_us')),
  ];
  const share = Math.floor(quota / period);
  // `max` is no number, and -1 no quota.
  return quota > 0 && period > 0 ? Math.max(1, Math.min(all, share)) : all;
}

function numbersIn(file) {
  try {
    return readFileSync(file, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Compiles files, as many at a time as there are processors; calls `onDone` with each that is done. */
export async function compileFiles([program, ...own], files, flags, onDone = (_job) => {}) {
  const queue = [...files];
  const worker = async () => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const { source, object } = job;
      await run(program, [...own, '-c', source, '-o', object, ...flags.map(withFolder)], {
        maxBuffer: 64 << 20,
      });
      onDone(job);
    }
  };
  await Promise.all(Array.from({ length: processors() }, worker));
}
