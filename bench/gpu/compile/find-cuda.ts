import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../../src/base/index.js';

/** What compiling for CUDA needs. */
export interface Toolkit {
  readonly nvcc: string;
  /** Of nvcc, such as `13.0`. */
  readonly version: string;
  /** The folder of `cublas_v2.h`. */
  readonly cublas: string;
}

/** Prints the folders of cuBLAS's headers that Python packages have brought. */
const IN_PYTHON = `
import glob, sys
for folder in sys.path:
    for file in glob.glob(folder + "/nvidia/*/include/cublas_v2.h"):
        print(file)
`;

/** Finds nvcc and the headers of cuBLAS: in the toolkit, `CUBLAS_INCLUDE`, or the packages of Python. Throws OperatorError. */
export function findCuda(): Toolkit {
  const nvcc = ['nvcc', '/usr/local/cuda/bin/nvcc'].find(
    (program) => printed(program, ['--version']) !== null,
  );
  if (nvcc === undefined) throw new OperatorError('nvcc, the compiler of CUDA, is not installed.');
  const version = /release (\d+\.\d+)/.exec(printed(nvcc, ['--version']) ?? '')?.[1] ?? '';
  const toolkit = toolkitOf(nvcc);
  const folders = [
    process.env.CUBLAS_INCLUDE ?? '',
    ...['include', 'targets/x86_64-linux/include'].map((path) => join(toolkit, path)),
    ...(printed('python3', ['-c', IN_PYTHON]) ?? '').split('\n').filter(Boolean).map(dirname),
  ];
  const cublas = folders.find((folder) => folder !== '' && existsSync(join(folder, 'cublas_v2.h')));
  if (cublas !== undefined) return { nvcc, version, cublas };
  throw new OperatorError(
    'The headers of cuBLAS (cublas_v2.h) were not found in the CUDA toolkit. Set CUBLAS_INCLUDE to their folder; the Python package nvidia-cublas has them.',
  );
}

/** nvcc may be a link or a script; it prints where it is. */
function toolkitOf(nvcc: string): string {
  const dry = printed(nvcc, ['--dryrun', '-x', 'cu', '/dev/null'], 'stderr') ?? '';
  const top = /^#\$ TOP=(.+)$/m.exec(dry)?.[1];
  return top === undefined ? '/usr/local/cuda' : realpathSync(top);
}

/** What a program prints; null if it cannot be run. */
function printed(
  program: string,
  args: readonly string[],
  stream: 'stdout' | 'stderr' = 'stdout',
): string | null {
  try {
    const script = stream === 'stderr' ? '"$0" "$@" 2>&1' : 'exec "$0" "$@" 2>/dev/null';
    return execFileSync('sh', ['-c', script, program, ...args], { encoding: 'utf8' });
  } catch {
    return null;
  }
}
