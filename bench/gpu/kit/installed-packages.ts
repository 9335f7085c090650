import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folders of installed packages with these names and of all that they use, relative to `root`: each found as Node.js
 * finds it from `from`. `leftOut`: names of packages that are not followed.
 */
export function installedPackages(
  root: string,
  from: string,
  names: readonly string[],
  leftOut: RegExp,
): string[] {
  const found = new Set<string>();
  const visit = (folder: string, name: string) => {
    if (leftOut.test(name)) return;
    const place = find(root, folder, name);
    if (place === null || found.has(place)) return;
    found.add(place);
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(root, place, 'package.json'), 'utf8'),
    ) as { dependencies?: object; peerDependencies?: object };
    for (const used of Object.keys({ ...dependencies, ...peerDependencies })) visit(place, used);
  };
  for (const name of names) visit(from, name);
  return [...found].sort();
}

function find(root: string, folder: string, name: string): string | null {
  const place = join(folder, 'node_modules', name);
  if (existsSync(join(root, place, 'package.json'))) return place;
  return folder === '' || folder === '.' ? null : find(root, dirname(folder), name);
}
