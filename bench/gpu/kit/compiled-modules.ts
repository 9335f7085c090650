import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const IMPORTS =
  /^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"](\.[^'"]+)['"]|\bimport\('(\.[^']+)'\)|new URL\('(\.[^']+\.js)'|entryFile\('([^']+)'\)/gm;

/** Compiled modules, and all modules of the project that they import or run in threads: paths relative to `root`. */
export function compiledModules(root: string, entries: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path) || !existsSync(join(root, path))) return;
    found.add(path);
    for (const [, from, dynamic, url, entry] of readFileSync(join(root, path), 'utf8').matchAll(IMPORTS)) {
      if (entry !== undefined) visit(`dist/src/${entry}.js`);
      else visit(join(path, '..', (from ?? dynamic ?? url) as string));
    }
  };
  for (const entry of entries) visit(entry);
  return [...found].sort();
}
