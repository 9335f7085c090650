import { OperatorError } from '../../base/index.js';
import { type CatalogBuild, filesOf, fileVersions, MemoryError, ModelError } from '../../engine/index.js';
import type { LoadedBuild } from '../models/loaded-build.js';
import type { ModelSet } from '../models/model-set.js';

/**
 * Weights are shared by path, and the name of a build stands for the contents of its files. Throws ModelError if a manifest
 * gives a loaded build files with other contents, or a loaded file another checksum.
 */
export function requireOwnFiles(current: ModelSet, next: ModelSet): void {
  for (const entry of next.catalog.builds) {
    const same = current.builds.get(entry.id);
    if (same !== undefined && !hasContents(same, entry)) {
      throw new ModelError(
        `${entry.id} is loaded with other files than the manifest now names. Give the new build another date.`,
      );
    }
    for (const { path, sha256 } of filesOf(entry)) {
      const other = [...current.builds.values()].find(({ checksums }) =>
        differs(checksums.get(path), sha256),
      );
      if (other !== undefined) {
        throw new ModelError(
          `${path} is loaded for ${other.id} with another checksum. Give the new file another name.`,
        );
      }
    }
  }
}

/** Whether a build has the same contents, wherever they are: `models pull` may repair it in the folder of a newer commit. */
function hasContents({ checksums }: LoadedBuild, entry: CatalogBuild): boolean {
  const sums = filesOf(entry).map(({ sha256 }) => sha256);
  return sums.join() === [...checksums.values()].join();
}

const differs = (loaded: string | undefined, sha256: string) => loaded !== undefined && loaded !== sha256;

/**
 * Throws ModelError if a file of a build that is not loaded is missing or not a regular file: otherwise that would be found
 * only after other builds have been loaded.
 */
export function requirePresentFiles({ catalog, builds }: ModelSet): void {
  for (const entry of catalog.builds) if (!builds.has(entry.id)) fileVersions(entry);
}

/**
 * Throws OperatorError if an open batch names a model or a build that the current models have and the next ones do not. One
 * that the current ones lack too has been missing since the start: its lines wait, and go on waiting.
 */
export function requireOpenModels(openModels: readonly string[], current: ModelSet, next: ModelSet): void {
  const has = ({ catalog }: ModelSet, name: string) => catalog.find(name) !== undefined;
  const missing = openModels.filter((name) => has(current, name) && !has(next, name));
  if (missing.length === 0) return;
  throw new OperatorError(
    `Open batches name ${missing.join(', ')}, which the manifest no longer has. Wait until they finish, or cancel them.`,
  );
}

/** What happens to builds when a set of models replaces another: `added`, `replaced` or `removed`, and the id. */
export function buildChanges(current: ModelSet, next: ModelSet): string[] {
  const verbs = (set: ModelSet, other: ModelSet, verb: (other: LoadedBuild | undefined) => string | null) =>
    set.catalog.builds.flatMap(({ id }) => {
      const word = other.builds.get(id) === set.builds.get(id) ? null : verb(other.builds.get(id));
      return word === null ? [] : [`${word} ${id}`];
    });
  return [
    ...verbs(next, current, (before) => (before === undefined ? 'added' : 'replaced')),
    ...verbs(current, next, (after) => (after === undefined ? 'removed' : null)),
  ];
}

/** A restart needs less memory than a reload. */
export function withAdvice(error: unknown): unknown {
  if (!(error instanceof MemoryError)) return error;
  return new OperatorError(
    `${error.message} A restart needs less memory: it frees the loaded builds before it loads the new ones.`,
  );
}
