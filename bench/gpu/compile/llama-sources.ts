import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD } from '#native/platform.mjs';
import { OperatorError } from '../../../src/base/index.js';

/** What compiling the CUDA backend needs of llama.cpp's repository. */
export const CUDA_PATHS = ['ggml/include', 'ggml/src/*.h', 'ggml/src/ggml-cuda', 'LICENSE'];
/** What compiling its server needs. */
export const SERVER_PATHS = [
  'include',
  'ggml/include',
  'src/llama-ext.h',
  'common',
  'tools/server/*.cpp',
  'tools/server/*.h',
  'tools/mtmd',
  'tools/ui/*.in',
  'vendor',
];

const repository = join(BUILD, 'llama.cpp');

/** The commit of the libraries. Throws OperatorError. */
export function llamaCommit(): string {
  try {
    return execFileSync('git', ['-C', repository, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch (error) {
    throw new OperatorError(`${repository}: ${(error as Error).message}. Run: npm run install:addon`);
  }
}

/** Unpacks files of llama.cpp, at the commit of the libraries, in a folder, which is written anew. Throws OperatorError. */
export function unpackLlama(paths: readonly string[], folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = { maxBuffer: 256 << 20, stdio: ['ignore', 'pipe', 'pipe'] as const };
  try {
    const git = [
      '-C',
      repository,
      'archive',
      '--format=tar',
      'HEAD',
      ...paths.map((path) => `:(glob)${path}`),
    ];
    const archive = execFileSync('git', git, { ...options, stdio: [...options.stdio] });
    execFileSync('tar', ['--extract', '--directory', folder], { input: archive });
  } catch (error) {
    throw new OperatorError(
      `llama.cpp's sources could not be unpacked: ${(error as Error).message}. Run: npm run install:addon`,
    );
  }
}
