import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKEND_REMEDIES, type Backend, LIBRARIES_REMEDY, libraries, platform } from '#native/platform.mjs';

/** Whether the libraries of a backend are installed. */
export const hasLibraries = (backend: Backend): boolean => libraries(backend) !== null;

/** What to do to get the libraries of a backend. */
export const remedyFor = (backend: Backend): string => BACKEND_REMEDIES[backend] ?? LIBRARIES_REMEDY;

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
