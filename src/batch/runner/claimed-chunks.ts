/** A chunk of a batch, and which lines it holds. */
export interface ChunkRange {
  readonly chunk: number;
  /** The position of its first line in the batch. */
  readonly first: number;
  /** How many lines it holds. */
  readonly lines: number;
}

/** The chunks of a batch that run on this host, and which of them have a result for every line. */
export class ClaimedChunks {
  /** The chunks with lines that have no result, and how many these are. */
  private readonly open = new Map<number, { readonly range: ChunkRange; left: number }>();
  private resolved: number[] = [];

  /** Whether every line of every chunk has its result. */
  get isResolved(): boolean {
    return this.open.size === 0;
  }

  /** The chunks that have lines without a result. */
  get chunks(): readonly ChunkRange[] {
    return [...this.open.values()].map(({ range }) => range);
  }

  /** Whether a chunk was added that `takeResolved` has not returned. */
  has(chunk: number): boolean {
    return this.open.has(chunk) || this.resolved.includes(chunk);
  }

  /** How many lines have no result. */
  get linesLeft(): number {
    let sum = 0;
    for (const { left } of this.open.values()) sum += left;
    return sum;
  }

  /** `left`: how many of the chunk's lines have no result. */
  add(range: ChunkRange, left: number): void {
    if (left > 0) this.open.set(range.chunk, { range, left });
    else this.resolved.push(range.chunk);
  }

  /** A line has got its result. */
  resolve(index: number): void {
    for (const [chunk, entry] of this.open) {
      const { first, lines } = entry.range;
      if (index < first || index >= first + lines) continue;
      entry.left -= 1;
      if (entry.left > 0) return;
      this.open.delete(chunk);
      this.resolved.push(chunk);
      return;
    }
  }

  /** The chunks for which every line got its result since the last call. */
  takeResolved(): number[] {
    const taken = this.resolved;
    this.resolved = [];
    return taken;
  }
}
