import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Backend, INSTALL_COMMANDS, libraries, platform } from '#native/platform.mjs';

/** Whether the libraries of a backend are installed. */
export const hasLibraries = (backend: Backend): boolean => libraries(backend) !== null;

/** The command that installs the libraries of CUDA. */
export const INSTALL_CUDA = INSTALL_COMMANDS.cuda;

/** The versions of the prebuilt libraries of llama.cpp, by installed backend. */
export function libraryVersions(): ReadonlyMap<Backend, string> {
  const versions = new Map<Backend, string>();
  for (const backend of platform().backends) {
    const folder = libraries(backend);
    if (folder === null) continue;
    // bins/<platform> in the package.
    const { version } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
    versions.set(backend, version);
  }
  return versions;
}
