// Compiles llama.cpp's own server from the sources of the prebuilt libraries, and links it against them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compileFiles, findCompiler } from '#native/compiler.mjs';
import { BUILD, libraryFiles } from '#native/platform.mjs';
import { OperatorError } from '../../../src/base/index.js';
import { keepFiles } from './kept-files.js';
import { llamaCommit, SERVER_PATHS, unpackLlama } from './llama-sources.js';

const FLAGS = [
  '-std=c++17',
  '-O2',
  '-fPIC',
  '-w',
  '-DNDEBUG',
  '-DLLAMA_SHARED',
  '-DGGML_SHARED',
  '-DGGML_BACKEND_SHARED',
  '-DGGML_BACKEND_DL',
  '-DLLAMA_SUBPROCESS',
];
const INCLUDES = [
  'include',
  'ggml/include',
  'src',
  'common',
  'tools/mtmd',
  'tools/server',
  'vendor',
  'vendor/hash',
  'generated',
  '.',
];

/** Compiles what is not made yet, below `folder`, and returns the objects. Throws OperatorError. */
export async function compileServer(folder: string, onProgress: (done: number) => void): Promise<string[]> {
  const sources = join(folder, 'llama.cpp');
  unpackLlama(SERVER_PATHS, sources);
  writeGenerated(sources);
  const files = [
    ...readdirSync(join(sources, 'tools/server'))
      .filter((file) => file.endsWith('.cpp'))
      .map((file) => `tools/server/${file}`),
    'tools/mtmd/mtmd-helper.cpp',
    'tools/mtmd/mtmd-helper-gen.cpp',
    'vendor/hash/hash.cpp',
    'generated/sha256.cpp',
    'generated/ui.cpp',
  ];
  const objects = join(folder, 'objects');
  keepFiles(objects, [llamaCommit(), ...findCompiler(), ...FLAGS]);
  const jobs = files.map((file) => ({
    source: join(sources, file),
    object: join(objects, `${basename(file, '.cpp')}.o`),
  }));
  const missing = jobs.filter(({ object }) => !existsSync(object));
  let done = 0;
  await compileFiles(
    findCompiler(),
    missing.map(({ source, object }) => ({ source, object: `${object}.part` })),
    [...FLAGS, ...INCLUDES.flatMap((path) => ['-I', join(sources, path)])],
    ({ object }) => {
      renameSync(object, object.slice(0, -'.part'.length));
      done += 1;
      onProgress(done);
    },
  ).catch((error: { stderr?: string; message: string }) => {
    throw new OperatorError(`llama.cpp's server: ${(error.stderr ?? error.message).slice(-2_000)}`);
  });
  return jobs.map(({ object }) => object);
}

/** Links the server against the libraries in a folder, beside which it must lie. */
export function linkServer(objects: readonly string[], libraries: string, program: string): void {
  const [compiler, ...own] = findCompiler() as [string, ...string[]];
  const { llama, ggml, base } = libraryFiles(libraries);
  const multimodal = join(BUILD, 'multimodal');
  execFileSync(
    compiler,
    [
      ...own,
      ...objects,
      ...readdirSync(multimodal).flatMap((file) => (file.endsWith('.o') ? [join(multimodal, file)] : [])),
      ...['libllama-common.so', llama, ggml, base].map((name) => join(libraries, name)),
      '-pthread',
      '-Wl,-rpath,$ORIGIN',
      '-o',
      program,
    ],
    { stdio: 'pipe' },
  );
}

/** What llama.cpp's build generates: the server's web pages, of which there are none, and C that is compiled as such. */
function writeGenerated(sources: string): void {
  const folder = join(sources, 'generated');
  mkdirSync(folder, { recursive: true });
  for (const name of ['ui.h', 'ui.cpp']) {
    const text = readFileSync(join(sources, 'tools/ui', `${name}.in`), 'utf8')
      .replace(/^#cmakedefine .*$/m, '')
      .replaceAll('@N_ASSETS@', '0')
      .replaceAll('@USE_GZIP@', 'false')
      .replaceAll(/@\w+@/g, '');
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, 'sha256.cpp'), 'extern "C" {\n#include "hash/sha256/sha256.c"\n}\n');
}
