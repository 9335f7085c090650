/** The lines of a chunk that was read: from `first`, up to and without `end`. */
interface ChunkLines {
  readonly first: number;
  readonly end: number;
  /** How many of them have no result. */
  left: number;
}

/** The chunks of a batch that run on this host, and which of them have a result for every line. */
export class ClaimedChunks {
  /** The chunks with lines that have no result; null: not read yet. */
  private readonly lines = new Map<number, ChunkLines | null>();
  private resolved: number[] = [];

  /** Whether every line of every chunk has its result. */
  get isResolved(): boolean {
    return this.lines.size === 0;
  }

  /** The chunks that have lines without a result. */
  get open(): readonly number[] {
    return [...this.lines.keys()];
  }

  add(chunk: number): void {
    if (!this.lines.has(chunk)) this.lines.set(chunk, null);
  }

  /** A chunk has been read; a chunk may be read repeatedly. */
  receive(chunk: number, lines: ChunkLines): void {
    if (!this.lines.has(chunk)) return;
    this.lines.set(chunk, lines);
    this.check(chunk, lines);
  }

  /** A line has got its result. */
  resolve(index: number): void {
    for (const [chunk, lines] of this.lines) {
      if (lines === null || index < lines.first || index >= lines.end) continue;
      lines.left -= 1;
      this.check(chunk, lines);
      return;
    }
  }

  /** The chunks whose last line has got its result since the last call. */
  takeResolved(): number[] {
    const taken = this.resolved;
    this.resolved = [];
    return taken;
  }

  private check(chunk: number, { left }: ChunkLines): void {
    if (left > 0) return;
    this.lines.delete(chunk);
    this.resolved.push(chunk);
  }
}
