// Which files of an installed package a bundle has. Packages carry binaries for other systems, sources of their binaries,
// types, source maps and tests.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Licenses stay beside the code, whatever their name ends with. */
const LICENSE = /(^|\/)(licen[cs]e|copying|notice|copyright)[^/]*$/i;
/** Types, source maps, pages, and sources of compiled code. */
const UNUSED_ENDING = /\.(map|[cm]?ts|tsx|flow|md|markdown|html|c|cc|cpp|h|hpp|o|gyp|gypi|tsbuildinfo)$/i;
const UNUSED_FOLDER =
  /^(test|tests|__tests__|example|examples|benchmark|benchmarks|coverage|docs|man|\.github)\//;
const BINARY = /\.(node|so)$/;
/** Binaries of macOS and Windows, and of Bare, another runtime of JavaScript. */
const OTHER_BINARY = /\.(dylib|dll|exe|bare)$/;
/** Words in the path of a binary for another system. */
const OTHER_SYSTEM =
  /(^|[^a-z0-9])(darwin|mac|macos|ios|win32|windows|android|freebsd|openharmony|musl|arm|arm64|armv\d\w*|ia32|ppc64|riscv64|s390x)([^a-z0-9]|$)/;
/** The number of Node's binary interface: `node.abi115.glibc.node`, `uws_linux_x64_115.node`. */
const ABI = /(?:\babi|_x64_)(\d+)\b/;
/** Of a package of llama.cpp's libraries, what the addon loads. The others belong to node-llama-cpp's own addon. */
const LLAMA = /^(package\.json|LICENSE|bins\/.+\/lib(ggml[\w.-]*|llama\.[\w.]+)\.so)$/;

/**
 * Whether a bundle has a file of a package. `name`: of the package; `path`: relative to it; `abi`: of the Node.js of the
 * bundle, `process.versions.modules`.
 */
export function isShipped(name: string, path: string, abi: string): boolean {
  if (name.startsWith('@node-llama-cpp/')) return LLAMA.test(path);
  if (LICENSE.test(path)) return true;
  if (UNUSED_ENDING.test(path) || UNUSED_FOLDER.test(path) || OTHER_BINARY.test(path)) return false;
  if (!BINARY.test(path)) return true;
  const [, other = abi] = ABI.exec(path) ?? [];
  return other === abi && !OTHER_SYSTEM.test(path);
}

/** The files in an installed package, without those of packages inside it, relative to it and sorted. */
export function filesOfPackage(folder: string): string[] {
  return listFiles(folder).filter((path) => !path.startsWith('node_modules/'));
}

/** The regular files below a folder, relative to it and sorted. */
export function listFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}
