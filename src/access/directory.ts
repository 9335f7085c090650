import type { Store } from '../store/index.js';
import type { Key } from './keys.js';
import { findWorkspace, type Workspace } from './workspaces.js';

/**
 * Keys and workspaces in memory, as they are now: what any process changed is seen by the next look-up, because
 * every one begins with the store's count of changes. Only what exists is kept, so the tables bound it.
 */
export class Directory {
  private readonly keys = new Map<string, Key>();
  private readonly workspaces = new Map<string, Workspace>();
  private changes = -1;

  constructor(private readonly store: Store) {}

  keyOfDigest(digest: string): Key | undefined {
    this.refresh();
    const id = () => this.store.table('digests').get(digest);
    return remembered(this.keys, digest, () => {
      const found = id();
      return found === undefined ? undefined : this.store.table('keys').get(found);
    });
  }

  workspace(id: string): Workspace | undefined {
    this.refresh();
    return remembered(this.workspaces, id, () => findWorkspace(this.store, id));
  }

  private refresh(): void {
    const changes = this.store.changes();
    if (changes === this.changes) return;
    this.keys.clear();
    this.workspaces.clear();
    this.changes = changes;
  }
}

function remembered<T>(known: Map<string, T>, name: string, find: () => T | undefined): T | undefined {
  const found = known.get(name) ?? find();
  if (found !== undefined) known.set(name, found);
  return found;
}
