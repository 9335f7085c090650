import type { Key, Workspace } from '../../../access/index.js';

/** What a copy of a database has that a copy of its state after a failover lacks. */
export interface LostChanges {
  /** Keys that were revoked, and work again. */
  readonly unrevoked: readonly string[];
  /** Keys and workspaces that do not exist any more. */
  readonly missing: readonly string[];
}

/** The keys and workspaces of the database in memory. Rows are never deleted there, so a copy only grows. */
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

  /** What this copy has, and a later one lacks. */
  lostIn(later: Copy): LostChanges {
    const keys = [...this.keys.values()];
    const unrevoked = keys.filter(({ id, revoked }) => revoked !== null && later.key(id)?.revoked === null);
    const missing = keys.filter(({ id }) => later.key(id) === undefined);
    const workspaces = [...this.workspaces.keys()].filter((id) => later.workspace(id) === undefined);
    return {
      unrevoked: unrevoked.map(({ id }) => id),
      missing: [...missing.map(({ id }) => id), ...workspaces],
    };
  }
}
