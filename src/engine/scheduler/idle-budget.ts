/**
 * What a cell of an idle prefix costs, in tokens per token that its context computes: the attention of every token scans
 * the cells in use. From the arithmetic of models of 12B and 31B parameters, 1/31,000; a generated model, whose waves
 * took 9 % longer with 4,096 idle cells, gives 1/45,000.
 */
export const CELL_PRICE = 1 / 32_768;

/** The window covers this many times the maximum number of idle cells, in computed tokens. */
const WINDOW = 6;
/** The budget is this many times the cells that recent repeats needed, because the next ones may come later. */
const ROOM = 2;
/** Maximum number of repeats that are remembered, the newest ones. */
const REPEATS_MAX = 256;
/** Maximum number of prefixes in a history: a context has no more sequences. */
const HISTORY_MAX = 256;

/** The number of cells of a context that prefixes without users may keep. */
export interface IdleBudget {
  readonly cells: number;
  /** The history of a lane of this budget. */
  newHistory(): PrefixHistory | null;
  /** Counts a wave. `tokens`: how many it computes. */
  compute(tokens: number): void;
}

/** Always the same number of cells: for tests and benchmarks, and 0 in exact mode. */
export const fixedBudget = (cells: number): IdleBudget => ({
  cells,
  newHistory: () => null,
  compute() {},
});

/** A prefix that came again after its last user had ended. */
interface Repeat {
  /** Cells that idle prefixes of its lane would need for it to be still there. */
  readonly distance: number;
  /** Its tokens, which then need not be computed. */
  readonly saved: number;
  /** Tokens computed before it came. */
  readonly at: number;
}

/**
 * Keeps as many idle prefixes as pay off, which depends on how often states repeat.
 *
 * Every lane has a history of the prefixes it has used, also of those it no longer holds. A prefix that comes again shows
 * how many cells would have been enough to keep it, and how many tokens that would have saved. Over a window of computed
 * tokens, the budget follows the number of cells at which the tokens saved exceed the cost of the cells (`CELL_PRICE`) by
 * the most: none, if nothing repeats. All lanes of a model share one budget, because what repeats depends on the traffic.
 *
 * So the first repeat after a time without repeats is computed again; later ones are found in the cache.
 */
export class AdaptiveBudget implements IdleBudget {
  private readonly histories: PrefixHistory[] = [];
  private repeats: Repeat[] = [];
  private computed = 0;

  /** @param cellsMax the most cells that idle prefixes of a lane ever keep */
  constructor(private readonly cellsMax: number) {}

  get cells(): number {
    const window = Math.min(this.computed, this.window);
    let saved = 0;
    let best = { cells: 0, gain: 0 };
    for (const repeat of [...this.repeats].sort((a, b) => a.distance - b.distance)) {
      saved += repeat.saved;
      const gain = saved - repeat.distance * window * CELL_PRICE;
      if (gain > best.gain) best = { cells: repeat.distance, gain };
    }
    return Math.min(this.cellsMax, ROOM * best.cells);
  }

  newHistory(): PrefixHistory {
    const history = new PrefixHistory(this.cellsMax, (key, tokens) => this.lookUp(key, tokens));
    this.histories.push(history);
    return history;
  }

  compute(tokens: number): void {
    this.computed += tokens;
    const begin = this.computed - this.window;
    if (this.repeats.some(({ at }) => at < begin))
      this.repeats = this.repeats.filter(({ at }) => at >= begin);
  }

  private get window(): number {
    return WINDOW * this.cellsMax;
  }

  private lookUp(key: string, saved: number): void {
    const distances = this.histories.flatMap((history) => history.distanceOf(key) ?? []);
    if (distances.length === 0) return;
    this.repeats.push({ distance: Math.min(...distances), saved, at: this.computed });
    if (this.repeats.length > REPEATS_MAX) this.repeats.shift();
  }
}

/** The prefixes that a lane has used, the most recently used last, whether or not it still holds them. */
export class PrefixHistory {
  private readonly tokensOf = new Map<string, number>();
  private tokens = 0;

  /**
   * @param tokensMax of all prefixes: what lies further back would not have been kept
   * @param onRepeat receives a prefix before it is used
   */
  constructor(
    private readonly tokensMax: number,
    private readonly onRepeat: (key: string, tokens: number) => void,
  ) {}

  /** A plan begins to use a prefix that no other plan uses. */
  begin(key: string, tokens: number): void {
    this.onRepeat(key, tokens);
    this.touch(key, tokens);
  }

  /** The last user of a prefix has ended. */
  end(key: string, tokens: number): void {
    this.touch(key, tokens);
  }

  /** Cells of a prefix and of all that were used after it; undefined if it is not in the history. */
  distanceOf(key: string): number | undefined {
    if (!this.tokensOf.has(key)) return undefined;
    let distance = 0;
    for (const [each, tokens] of this.tokensOf) {
      if (each === key) distance = 0;
      distance += tokens;
    }
    return distance;
  }

  private touch(key: string, tokens: number): void {
    this.remove(key);
    if (tokens > this.tokensMax) return;
    this.tokensOf.set(key, tokens);
    this.tokens += tokens;
    for (const oldest of this.tokensOf.keys()) {
      if (this.tokens <= this.tokensMax && this.tokensOf.size <= HISTORY_MAX) return;
      this.remove(oldest);
    }
  }

  private remove(key: string): void {
    this.tokens -= this.tokensOf.get(key) ?? 0;
    this.tokensOf.delete(key);
  }
}
