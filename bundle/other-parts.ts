// What is in a bundle besides npm packages: Node.js, llama.cpp, the libraries of the compiler, the model.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BUILD, libraries } from '#native/platform.mjs';
import { OperatorError, sha256OfFile } from '../src/base/index.js';
import { type Licensed, standardText } from './licenses.js';
import type { OtherPart } from './sbom.js';

/** The release of llama.cpp that the prebuilt libraries were made from. */
export function llamaVersion(): string {
  const file = join(libraries('cpu') ?? '', '_nlcBuildMetadata.json');
  const { buildOptions } = JSON.parse(readFileSync(file, 'utf8'));
  return buildOptions.llamaCpp.release;
}

interface Sources {
  /** The program of Node.js. */
  readonly node: string;
  readonly llama: string;
  readonly compiler: readonly { readonly name: string; readonly file: string }[];
}

/** These parts, with their license texts. Throws OperatorError if a text is not found. */
export async function otherParts(
  root: string,
  { node, llama, compiler }: Sources,
): Promise<(OtherPart & Licensed)[]> {
  const { node: version } = process.versions;
  return [
    {
      type: 'platform',
      name: 'Node.js',
      version,
      license: 'MIT',
      purl: `pkg:generic/node@${version}`,
      cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
      sha256: await sha256OfFile(node),
      texts: [nodeLicense(node)],
    },
    {
      type: 'library',
      name: 'llama.cpp',
      version: llama,
      license: 'MIT',
      purl: `pkg:github/ggml-org/llama.cpp@${llama}`,
      texts: [llamaLicense()],
    },
    ...(await Promise.all(compiler.map((library) => compilerLibrary(root, library)))),
  ];
}

async function compilerLibrary(
  root: string,
  { name, file }: Sources['compiler'][number],
): Promise<OtherPart & Licensed> {
  const library = name.split('.so')[0] as string;
  // libstdc++.so.6.0.30; of libgcc_s, only the number of its interface is known.
  const version = basename(realpathSync(file)).split('.so.')[1] ?? '';
  return {
    type: 'library',
    name: library,
    version,
    license: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    purl: `pkg:generic/${encodeURIComponent(library)}@${version}`,
    sha256: await sha256OfFile(file),
    texts: [standardText(root, 'GCC-exception-3.1'), standardText(root, 'GPL-3.0')],
  };
}

/** Node.js's license with those of its parts: beside the program, or in the documentation of its package. */
export function nodeLicense(program: string): string {
  const places = ['LICENSE', 'share/doc/nodejs/LICENSE', 'share/doc/node/LICENSE'].map((path) =>
    join(dirname(dirname(program)), path),
  );
  const found = places.find((file) => existsSync(file));
  if (found !== undefined) return readFileSync(found, 'utf8');
  throw new OperatorError(`Node.js has no license text. It was expected as one of: ${places.join(', ')}.`);
}

/** From the sources that `npm ci` unpacks. */
function llamaLicense(): string {
  const repository = join(BUILD, 'llama.cpp');
  try {
    return execFileSync('git', ['-C', repository, 'show', 'HEAD:LICENSE'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'git is not installed' : message.trim();
    throw new OperatorError(`llama.cpp has no license text: ${reason}. Run: npm run install:addon`);
  }
}
