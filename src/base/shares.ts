/** The key and workspace that own some work or memory. */
export interface Owner {
  readonly workspace: string;
  readonly key: string;
}

/** Limits of a resource per key, per workspace and in total. */
export interface Shares {
  readonly key: number;
  readonly workspace: number;
  readonly all: number;
}

/** Counts how much of a resource keys and workspaces use. */
export class ShareCounts {
  private all = 0;
  private readonly workspaces = new Map<string, number>();
  private readonly keys = new Map<string, number>();

  constructor(private readonly shares: Shares) {}

  /**
   * The first limit that `amount` more would exceed, the owner's own ones before that of all: an owner beyond a limit of its
   * own takes nothing from others. Null if it fits.
   */
  exceededBy({ key, workspace }: Owner, amount: number): keyof Shares | null {
    const { shares } = this;
    if ((this.keys.get(key) ?? 0) + amount > shares.key) return 'key';
    if ((this.workspaces.get(workspace) ?? 0) + amount > shares.workspace) return 'workspace';
    return this.all + amount > shares.all ? 'all' : null;
  }

  /** A negative `amount` returns something. */
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
