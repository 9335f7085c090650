// What the binaries of a bundle need of the host, read from their ELF headers with objdump.
import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import { OperatorError } from '../src/base/index.js';

/** A program or library, and what the loader looks for when it loads it. */
export interface Binary {
  readonly path: string;
  /** The names of the libraries that it needs. */
  readonly needs: readonly string[];
  /** The name by which others need it; its file name if it has none. */
  readonly name: string;
  /** The highest version of glibc whose symbols it uses, such as `2.34`; null: none. */
  readonly glibc: string | null;
}

/** In every Linux with glibc. */
const GLIBC =
  /^(ld-linux-x86-64\.so\.2|lib(c|m)\.so\.6|lib(dl|resolv)\.so\.2|lib(rt|util)\.so\.1|libpthread\.so\.0)$/;
/** Of a GPU: its driver and the runtime of its backend, which the host has. */
const GPU = /^(libcuda\.so\.1|libcudart\.so\.1[23]|libcublas\.so\.1[23]|libvulkan\.so\.1)$/;

/** Whether a file begins as programs and libraries do. */
export const isElf = (start: Buffer): boolean => start.subarray(0, 4).toString('latin1') === '\x7fELF';

/** Reads the header of a binary. `file`: where it is; `path`: its name in messages. Throws OperatorError. */
export function readBinary(file: string, path: string): Binary {
  return { path, ...parseHeader(objdump(file), basename(path)) };
}

function objdump(file: string): string {
  try {
    return execFileSync('objdump', ['-p', file], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new OperatorError('objdump is not installed. On Debian and Ubuntu: apt-get install binutils');
    throw new OperatorError(`${file}: ${(error as Error).message}`);
  }
}

/** Reads what `objdump -p` prints. */
export function parseHeader(text: string, fileName: string): Omit<Binary, 'path'> {
  const needs = [...text.matchAll(/^ +NEEDED +(\S+)$/gm)].map(([, name]) => name as string);
  const name = /^ +SONAME +(\S+)$/m.exec(text)?.[1] ?? fileName;
  const [, references = ''] = text.split(/^Version References:$/m);
  const versions = [...references.matchAll(/ GLIBC_(\d+\.\d+)(?:\.\d+)?$/gm)].map(
    ([, found]) => found as string,
  );
  return { needs, name, glibc: highest(versions) };
}

/** The highest of some versions of glibc; null of none. */
export function highest(versions: readonly string[]): string | null {
  const minor = (version: string) => Number(version.split('.')[1]);
  return versions.reduce<string | null>(
    (most, each) => (most === null || minor(each) > minor(most) ? each : most),
    null,
  );
}

/** Throws OperatorError if a binary needs a library that neither the bundle nor every host has. */
export function requireComplete(binaries: readonly Binary[]): void {
  const present = new Set(binaries.map(({ name }) => name));
  const missing = binaries.flatMap(({ path, needs }) =>
    needs
      .filter((name) => !present.has(name) && !GLIBC.test(name) && !GPU.test(name))
      .map((name) => `${path} needs ${name}`),
  );
  if (missing.length === 0) return;
  throw new OperatorError(
    `${missing.join('. ')}. The bundle does not have it. If that is Node.js, use one of nodejs.org, NodeSource or the node image: its libraries are inside.`,
  );
}

/** The libraries of the compiler that Node.js and the addon need, as the loader finds them here: their names and files. */
export function compilerLibraries(binary: string): { name: string; file: string }[] {
  const printed = execFileSync('ldd', [binary], { encoding: 'utf8' });
  return ['libgcc_s.so.1', 'libstdc++.so.6'].map((name) => {
    const line = printed.split('\n').find((each) => each.trim().startsWith(`${name} => /`));
    const file = line?.split(' => ')[1]?.split(' (')[0];
    if (file === undefined) throw new OperatorError(`${binary}: ldd does not find ${name}.`);
    return { name, file };
  });
}
