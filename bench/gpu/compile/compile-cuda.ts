// Compiles llama.cpp's CUDA backend (libggml-cuda.so) for the GPUs of one compute capability, with nvcc and without CMake.
// Objects of the same release, flags and compiler are kept, so that a second run continues the first.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { compileFiles, findCompiler } from '#native/compiler.mjs';
import { OperatorError } from '../../../src/base/index.js';
import { findCuda, type Toolkit } from './find-cuda.js';
import { keepFiles } from './kept-files.js';

/** Compute capability 9.0: H100 and H200. */
const ARCHITECTURE = '90';
/** The types of keys and values for which flash attention is compiled: those that the engine uses. */
const KEPT_TYPES = 'f16-f16';
const TYPES = ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0', 'bf16', 'f16'];
/** Those that take minutes each come first, so that all processors end at about the same time. */
const LONGEST_FIRST = ['fattn-mma', 'mmq-instance', 'fattn-tile', 'fattn', 'mmf-instance'];

const DEFINITIONS = [
  'NDEBUG',
  'GGML_BACKEND_DL',
  'GGML_BACKEND_BUILD',
  'GGML_BACKEND_SHARED',
  'GGML_SHARED',
  'GGML_SCHED_MAX_COPIES=4',
  'GGML_CUDA_USE_GRAPHS',
  `GGML_CUDA_FA_QUANTS="${KEPT_TYPES}"`,
  ...TYPES.flatMap((values) =>
    TYPES.map((keys) => {
      const isKept = `${keys}-${values}` === KEPT_TYPES;
      return `GGML_CUDA_FA_${keys.toUpperCase()}_${values.toUpperCase()}=${isKept ? 1 : 0}`;
    }),
  ),
  '_XOPEN_SOURCE=600',
  '_GNU_SOURCE',
];

export interface CudaBuild {
  /** llama.cpp's sources, and their release or commit. */
  readonly sources: string;
  readonly release: string;
  /** Where the object files are. */
  readonly objects: string;
  /** The file that is made. */
  readonly library: string;
  /** llama.cpp's `libggml-base.so`. */
  readonly base: string;
  onProgress(done: number, all: number): void;
}

/** Compiles and links what is not made yet, as many files at a time as there are usable cores. Throws OperatorError. */
export async function compileCuda({
  sources,
  release,
  objects,
  library,
  base,
  onProgress,
}: CudaBuild): Promise<void> {
  const toolkit = findCuda();
  keepFiles(objects, [release, toolkit.version, ...flags()], [library]);
  if (existsSync(library)) return;
  const ggml = join(sources, 'ggml/src');
  const jobs = cudaSources(join(ggml, 'ggml-cuda')).map((source) => ({
    source,
    object: join(objects, `${basename(source, '.cu')}.o`),
  }));
  const missing = jobs.filter(({ object }) => !existsSync(object));
  let done = jobs.length - missing.length;
  await compileFiles(
    [toolkit.nvcc],
    missing.map(({ source, object }) => ({ source, object: `${object}.part` })),
    [...flags(), ...[toolkit.cublas, join(sources, 'ggml/include'), ggml].flatMap((path) => ['-I', path])],
    ({ object }) => {
      renameSync(object, object.slice(0, -'.part'.length));
      done += 1;
      onProgress(done, jobs.length);
    },
  ).catch((error: { stderr?: string; message: string }) => {
    throw new OperatorError(`nvcc: ${(error.stderr ?? error.message).slice(-2_000)}`);
  });
  link(
    jobs.map(({ object }) => object),
    library,
    base,
    toolkit,
  );
}

const flags = (): string[] => [
  '-std=c++17',
  '-O3',
  `-gencode=arch=compute_${ARCHITECTURE},code=sm_${ARCHITECTURE}`,
  '-use_fast_math',
  '-extended-lambda',
  // The kit is compressed as a whole, which finds what the kernels have in common.
  '-Xfatbin=-compress=false',
  '-Xcompiler=-fPIC',
  '-w',
  ...DEFINITIONS.map((definition) => `-D${definition}`),
];

/** The sources of the backend, the longest first. */
export function cudaSources(folder: string): string[] {
  const own = readdirSync(folder).filter((file) => file.endsWith('.cu'));
  const instances = readdirSync(join(folder, 'template-instances'))
    .filter((file) => file.endsWith('.cu'))
    .filter((file) => !file.startsWith('fattn-vec') || file === `fattn-vec-instance-${KEPT_TYPES}.cu`)
    .map((file) => join('template-instances', file));
  const rank = (file: string) => {
    const at = LONGEST_FIRST.findIndex((start) => basename(file).startsWith(start));
    return at === -1 ? LONGEST_FIRST.length : at;
  };
  return [...instances, ...own]
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((file) => join(folder, file));
}

/**
 * Links against the names of the libraries that the loader will look for on the machine, not against the libraries: cuBLAS
 * takes hundreds of megabytes, and the driver's library exists only beside a GPU.
 */
function link(objects: readonly string[], library: string, base: string, { version }: Toolkit): void {
  const [program, ...own] = findCompiler() as [string, ...string[]];
  const folder = join(dirname(objects[0] as string), 'names');
  mkdirSync(folder, { recursive: true });
  const major = version.split('.')[0];
  const names = [`libcudart.so.${major}`, `libcublas.so.${major}`, 'libcuda.so.1'];
  const empty = join(folder, 'empty.cc');
  writeFileSync(empty, '');
  const run = (args: readonly string[]) => execFileSync(program, [...own, ...args], { stdio: 'pipe' });
  for (const name of names) run(['-shared', `-Wl,-soname,${name}`, '-o', join(folder, name), empty]);
  const unfinished = `${library}.part`;
  const listed = join(folder, 'objects');
  writeFileSync(listed, objects.join('\n'));
  run([
    '-shared',
    `@${listed}`,
    '-o',
    unfinished,
    '-Wl,-soname,libggml-cuda.so',
    '-Wl,-rpath,$ORIGIN',
    '-Wl,--no-as-needed',
    base,
    ...names.map((name) => join(folder, name)),
  ]);
  renameSync(unfinished, library);
}
