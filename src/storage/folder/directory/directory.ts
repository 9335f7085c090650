import type { Directory, Key, Workspace } from '../../../access/index.js';
import { findWorkspace } from '../administration/rows.js';
import type { Store } from '../lmdb/store.js';

/**
 * A cache of the keys and workspaces of a data folder. Call `refresh` before a look-up, so that it sees the changes of all
 * processes. Only existing rows are cached, so the size of the tables bounds the cache.
 */
export class FolderDirectory implements Directory {
  private readonly keys = new Map<string, Key>();
  private readonly workspaces = new Map<string, Workspace>();
  private readonly keysById = new Map<string, Key>();
  private changes = -1;

  constructor(private readonly store: Store) {}

  /** Empties the cache if anything was changed, by the store's count of changes. */
  refresh(): void {
    const changes = this.store.changes();
    if (changes === this.changes) return;
    this.keys.clear();
    this.keysById.clear();
    this.workspaces.clear();
    this.changes = changes;
  }

  keyOfDigest(digest: string): Key | undefined {
    return remembered(this.keys, digest, () => {
      const id = this.store.table('digests').get(digest);
      return id === undefined ? undefined : this.store.table('keys').get(id);
    });
  }

  key(id: string): Key | undefined {
    return remembered(this.keysById, id, () => this.store.table('keys').get(id));
  }

  workspace(id: string): Workspace | undefined {
    return remembered(this.workspaces, id, () => findWorkspace(this.store, id));
  }
}

function remembered<T>(known: Map<string, T>, name: string, find: () => T | undefined): T | undefined {
  const found = known.get(name) ?? find();
  if (found !== undefined) known.set(name, found);
  return found;
}
