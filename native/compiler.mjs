// The C++ compiler of this machine, and compiling many files with it at once.
import { execFile, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { usableCores } from './control-groups.mjs';
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

/** Compiles files, as many at a time as there are usable cores; calls `onDone` with each that is done. */
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
  await Promise.all(Array.from({ length: usableCores() }, worker));
}
