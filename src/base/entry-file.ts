import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROGRAM_FOLDER } from './about.js';

/**
 * The file that a thread or a process starts with, by its path below `src`, such as `server/prepare-thread`: the bundle that
 * tools/build-entries.mjs has made of it, or the compiled module where there is none.
 */
export function entryFile(entry: string): URL {
  const [bundle, module] = ['entries', 'src'].map((folder) =>
    join(PROGRAM_FOLDER, 'dist', folder, `${entry}.js`),
  ) as [string, string];
  return pathToFileURL(existsSync(bundle) ? bundle : module);
}
