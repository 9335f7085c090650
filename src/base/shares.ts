/** Whose work or memory it is. */
export interface Owner {
  readonly workspace: string;
  readonly key: string;
}

/** The most of one thing that one key, one workspace, and all together may have. */
export interface Shares {
  readonly key: number;
  readonly workspace: number;
  readonly all: number;
}

/** Counts what keys and workspaces have of one thing. */
export class ShareCounts {
  private all = 0;
  private readonly workspaces = new Map<string, number>();
  private readonly keys = new Map<string, number>();

  constructor(private readonly shares: Shares) {}

  /** The first share that `amount` more would exceed; null where it fits. */
  exceededBy({ key, workspace }: Owner, amount: number): keyof Shares | null {
    const { shares } = this;
    if (this.all + amount > shares.all) return 'all';
    if ((this.workspaces.get(workspace) ?? 0) + amount > shares.workspace) return 'workspace';
    return (this.keys.get(key) ?? 0) + amount > shares.key ? 'key' : null;
  }

  /** `amount` is negative where something is given back. */
  add({ key, workspace }: Owner, amount: number): void {
    this.all += amount;
    addTo(this.workspaces, workspace, amount);
    addTo(this.keys, key, amount);
  }

  get total(): number {
    return this.all;
  }
}

/** Owners whose count is zero are removed. */
function addTo(counts: Map<string, number>, name: string, amount: number): void {
  const count = (counts.get(name) ?? 0) + amount;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
