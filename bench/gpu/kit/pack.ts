// Makes a kit: a folder with run.sh, kit.json and one archive, small enough to be carried to a borrowed machine.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { libraries } from '#native/platform.mjs';
import { writeArchive } from '../../../bundle/archive.js';
import { collect } from '../../../bundle/collect.js';
import type { Entry } from '../../../bundle/contents.js';
import { sizeReport } from '../../../bundle/sizes.js';
import { writeCollected } from '../../../bundle/write-bundle.js';
import { OperatorError, sha256OfFile, showBytes, VERSION } from '../../../src/base/index.js';
import { compileCuda } from '../compile/compile-cuda.js';
import { compileServer, linkServer } from '../compile/compile-server.js';
import { CUDA_PATHS, llamaCommit, unpackLlama } from '../compile/llama-sources.js';
import type { KitDescription } from '../run/kit.js';
import { addedEntries, ofBundle } from './kit-entries.js';

/** A kit may have so many bytes: 55 MiB, so that other files fit beside it into the 64 MiB of some lenders. */
export const KIT_BYTES_MAX = 55 * 2 ** 20;
/** The folder of the program in the archive, and the archive. */
export const PROGRAM = 'decider-kit';
const ARCHIVE = 'program.tar.xz';
/**
 * Of xz: more than what lies between the libraries for processors of the two packages of llama.cpp, which are the same. With
 * 64 MiB, the largest of a level, a kit with a compiled backend was 58 MB instead of 55, and too large. Takes 2.7 GB of memory.
 */
const DICTIONARY = '256MiB';

export interface PackOptions {
  readonly backend: KitDescription['backend'];
  /** The folder of the kit, which is written anew. */
  readonly out: string;
  /** Where compiled files are kept between two runs. */
  readonly cache: string;
  /** Whether the CUDA backend is compiled now, and not on the machine. */
  readonly compile: boolean;
  /** Whether llama.cpp's server is compiled and in the kit. */
  readonly server: boolean;
  /** Of xz: 0 to 9. */
  readonly level: number;
  /** The most that the kit may have. */
  readonly bytesMax: number;
  print(line: string): void;
}

/** Makes a kit; `root`: of the project. Throws OperatorError. */
export async function pack(root: string, options: PackOptions): Promise<void> {
  const { backend, out, cache, level, print } = options;
  // Before anything is compiled, what a bundle needs is verified.
  const collected = await collect(root, { backend, slim: false });
  mkdirSync(out, { recursive: true });
  const unfinished = mkdtempSync(join(out, '.kit-'));
  try {
    const cuda = backend === 'cuda' && options.compile ? await compiledCuda(cache, print) : null;
    const server = options.server ? await compiledServer(cache, backend, print) : null;
    const sources = join(unfinished, 'sources');
    if (backend === 'cuda' && cuda === null) unpackLlama(CUDA_PATHS, sources);
    const entries = withoutRepeated([
      ...ofBundle(collected.entries),
      ...addedEntries(root, backend, { cuda, server, sources }),
    ]);
    await writeCollected({ ...collected, name: PROGRAM, entries }, unfinished, { backend, slim: true });
    const archive = join(unfinished, ARCHIVE);
    // The filter for machine code makes programs and libraries a tenth smaller.
    writeArchive(
      unfinished,
      PROGRAM,
      archive,
      `xz --threads=1 --x86 --lzma2=preset=${level},dict=${DICTIONARY}`,
    );
    print(sizeReport(entries, statSync(archive).size));
    const description: KitDescription & { readonly sha256: string } = {
      version: VERSION,
      backend,
      llama: collected.llama,
      compiled: cuda !== null,
      server: server !== null,
      sha256: await sha256OfFile(archive),
    };
    copyFileSync(archive, join(out, ARCHIVE));
    writeFileSync(join(out, 'kit.json'), `${JSON.stringify(description, null, 1)}\n`);
    copyFileSync(join(root, 'bench/gpu/run.sh'), join(out, 'run.sh'));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  requireSmall(out, options.bytesMax);
  print(`\n${out}: ${showBytes(sizeOf(out))}`);
}

/** A file that both a bundle and the kit name is one file. */
const withoutRepeated = (entries: readonly Entry[]): Entry[] => [
  ...new Map(entries.map((entry) => [entry.path, entry])).values(),
];

async function compiledCuda(cache: string, print: PackOptions['print']): Promise<string> {
  const sources = join(cache, 'cuda');
  unpackLlama(CUDA_PATHS, sources);
  const library = join(cache, 'libggml-cuda.so');
  print('compiling llama.cpp’s CUDA backend; this takes more than half an hour of processor time, once');
  const base = join(libraries('cuda') as string, 'libggml-base.so');
  const onProgress = (done: number, all: number) => print(`${done} of ${all} files`);
  const release = llamaCommit();
  await compileCuda({ sources, release, objects: join(cache, 'cuda-objects'), library, base, onProgress });
  return library;
}

async function compiledServer(
  cache: string,
  backend: PackOptions['backend'],
  print: PackOptions['print'],
): Promise<string> {
  const objects = await compileServer(join(cache, 'server'), (done) => print(`llama-server: ${done} files`));
  const program = join(cache, `llama-server-${backend}`);
  linkServer(objects, libraries(backend) as string, program);
  return program;
}

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);

function requireSmall(out: string, bytesMax: number): void {
  const bytes = sizeOf(out);
  if (bytes <= bytesMax) return;
  throw new OperatorError(
    `${out}: the kit has ${bytes} bytes, ${bytes - bytesMax} more than it may have. Give --no-server, leave out --compile, or raise --level.`,
  );
}
