import type { Key, Workspace } from '../../access/index.js';

/** The keys and workspaces of the database in memory. Rows are never deleted there, so the copy only grows. */
export class Copy {
  private readonly keys = new Map<string, Key>();
  private readonly digests = new Map<string, Key>();
  private readonly workspaces = new Map<string, Workspace>();

  keyOfDigest(digest: string): Key | undefined {
    return this.digests.get(digest);
  }

  key(id: string): Key | undefined {
    return this.keys.get(id);
  }

  workspace(id: string): Workspace | undefined {
    return this.workspaces.get(id);
  }

  /** Adds keys and workspaces, or replaces those with the same id. */
  put(keys: readonly Key[], workspaces: readonly Workspace[]): void {
    for (const key of keys) {
      this.keys.set(key.id, key);
      this.digests.set(key.digest, key);
    }
    for (const workspace of workspaces) this.workspaces.set(workspace.id, workspace);
  }
}
