import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. Tests run compiled, three folders down in `dist`. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A source file, its path relative to the project, and the project's files it imports. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** Every TypeScript, JavaScript and C++ source of the project. */
export const sources = (...folders: string[]): Source[] => filesIn(folders, /\.(ts|tsx|mts|mjs|cc|h)$/);

/** Every Python source of folders. */
export const python = (...folders: string[]): Source[] => filesIn(folders, /\.py$/);

function filesIn(folders: readonly string[], names: RegExp): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => names.test(file) && !/(^|\/)(node_modules|build)\//.test(file))
      .map((file) => read(join(folder, file))),
  );
}

/** The path of a source with JSX, if there is one instead. */
const orTsx = (path: string): string => (existsSync(join(ROOT, `${path}x`)) ? `${path}x` : path);

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const names = text.matchAll(
    /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'|new URL\('([^']+\.js)'|entryFile\('([^']+)'\)/g,
  );
  const imports = [...names].flatMap(([, from, url, entry]) => {
    if (entry !== undefined) return [`src/${entry}.ts`];
    const name = (from ?? url) as string;
    if (!name.startsWith('.')) return [];
    return [relative(ROOT, resolve(ROOT, dirname(path), name)).replace(/\.js$/, '.ts')].map(orTsx);
  });
  return { path, text, imports };
}
