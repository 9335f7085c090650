import { longestSuffix, type Plan, planCells, type Suffix, type WaveBounds } from '../wave/wave-types.js';
import type { IdleBudget, PrefixHistory } from './idle-budget.js';
import { type OwnPartial, PartialPrefills } from './partial-prefills.js';
import { type OwnPrefix, PrefixCache, Sequences } from './prefix-cache.js';
import type { Answered, CachedPrefix, Entry, PartialPrefill, Running } from './scheduler-types.js';

/** The key of the head in the prefix cache. */
const HEAD_KEY = 'head';

/** How a context shares cells between plans. */
interface CellSharing {
  /** Tokens that every prompt begins with: computed once, then copied by reference. Empty: none. */
  readonly head: Int32Array;
  /** Budget of the prefixes that are kept for later requests. */
  readonly budget: IdleBudget;
}

/** A plan that `tryAdmit` has admitted. */
interface Admitted<E extends Entry> {
  readonly running: Running<E>;
  /** Whether the plan's prefix was in the cache, complete or in part. */
  readonly isCached: boolean;
  /** Not null: the plan's prefix is new and starts as a copy of the head. */
  readonly head: CachedPrefix | null;
  /** Whether this wave has to compute the head first. */
  readonly headIsNew: boolean;
}

/** What the end of a wave frees. */
interface Freed<E extends Entry> {
  /** Per suffix that ends in the wave. */
  readonly answered: ReadonlyArray<Readonly<Answered<E>>>;
  /** Sequences to remove before the wave computes anything. */
  readonly before: readonly number[];
  /** Sequences to remove after it. */
  readonly after: readonly number[];
}

interface OwnRunning<E extends Entry> extends Running<E> {
  readonly prefix: OwnPrefix;
  nextSuffix: number;
}

/**
 * The KV cache of one context: which plan, prefix and suffix has which cells and sequences. Only this class changes
 * them; it decides whether something fits, never the order.
 *
 * Calls of one wave: `beginWave`, then any of `tryAdmit`, `trySuffix` and `extend…`, then `endWave`.
 *
 * Every admitted plan has the cells of its prefix, and room is kept for the longest suffix of any admitted plan, so
 * that the oldest plan can always continue.
 */
export class KvCache<E extends Entry> {
  private plans: Array<OwnRunning<E>> = [];
  private sequences!: Sequences;
  private prefixes!: PrefixCache;
  private partials!: PartialPrefills<E>;
  /** Sequences that are free, but whose cells the context still has. */
  private removals: number[] = [];
  private wave = 0;
  /** Null: the budget needs none. */
  private readonly history: PrefixHistory | null;
  /** A suffix of this wave found no room. */
  private isFull = false;

  constructor(
    private readonly bounds: WaveBounds,
    private readonly sharing: CellSharing,
  ) {
    this.history = sharing.budget.newHistory();
    this.reset();
  }

  /** Empties the cache: after a failed wave, or because the next wave clears the context. */
  reset(): void {
    const { bounds, sharing } = this;
    this.plans = [];
    this.removals = [];
    this.sequences = new Sequences(bounds.sequences);
    this.prefixes = new PrefixCache(bounds, this.sequences, sharing.budget);
    this.partials = new PartialPrefills(this.sequences);
  }

  /** The admitted plans, oldest first. */
  get running(): ReadonlyArray<Running<E>> {
    return this.plans;
  }

  /** Cells of all prefixes and suffixes. */
  get cells(): number {
    return this.prefixes.cells + this.partials.cells;
  }

  /** Cells of suffixes. */
  get suffixCells(): number {
    return this.partials.cells;
  }

  findPrefix(key: string): CachedPrefix | undefined {
    return this.prefixes.find(key);
  }

  /** Tokens of a waiting plan that need not be computed: its prefix is in the cache, or starts with the head. */
  cachedTokens({ prefix, prefixKey }: Plan): number {
    const head = this.startsWithHead(prefix) ? this.prefixes.find(HEAD_KEY) : undefined;
    return (this.prefixes.find(prefixKey) ?? head)?.done ?? 0;
  }

  /** Tokens of a running plan that are in no wave yet. */
  remainingOf(running: Running<E>): number {
    const { prefix, nextSuffix, entry } = running;
    const partial = this.partials.of(running).map(({ suffix, done }) => suffix.tokens.length - done);
    const suffixes = entry.plan.suffixes.slice(nextSuffix).map(({ tokens }) => tokens.length);
    return [...partial, ...suffixes].reduce(
      (sum, tokens) => sum + tokens,
      prefix.tokens.length - prefix.done,
    );
  }

  /** The suffixes of a running plan that are computed in part. */
  partialsOf(running: Running<E>): ReadonlyArray<PartialPrefill<E>> {
    return this.partials.of(running);
  }

  /** Starts a wave: releases the plans that are no longer wanted, and whatever only they needed. */
  beginWave(): void {
    this.wave += 1;
    this.isFull = false;
    this.release(({ entry }) => entry.dropped);
    this.removals.push(...this.partials.removeDropped().map(({ sequence }) => sequence));
  }

  /**
   * Admits a plan if its prefix and the longest suffix of any admitted plan fit; evicts idle prefixes for that.
   *
   * @param headTokensMax computes the head for the plan only if it has fewer tokens
   * @returns null if there is no room
   */
  tryAdmit(entry: E, headTokensMax: number): Admitted<E> | null {
    const { prefix: tokens, prefixKey, images } = entry.plan;
    const suffixRoom = this.suffixRoom(entry.plan);
    if (!this.makeRoom(entry.plan, suffixRoom, 1)) return null;
    const known = this.prefixes.find(prefixKey);
    const prefix = known ?? this.prefixes.add(prefixKey, tokens, images);
    const shared = known === undefined ? this.takeHead(prefix, suffixRoom, headTokensMax) : NO_HEAD;
    if (prefix.users === 0) this.history?.begin(prefixKey, tokens.length);
    prefix.users += 1;
    const cachedTokens = shared.headIsNew ? 0 : prefix.done;
    const running = { entry, prefix, nextSuffix: 0, cachedTokens, logits: [] };
    this.plans.push(running);
    return { running, isCached: known !== undefined, ...shared };
  }

  /**
   * Whether a waiting plan could be computed in one wave, without the room that other plans' next suffixes need.
   * Evicts idle prefixes to find out.
   */
  fitsInOneWave({ plan }: E): boolean {
    const next = this.plans.flatMap(({ entry, nextSuffix }) => entry.plan.suffixes.slice(nextSuffix));
    const longest = Math.max(0, ...next.map(({ tokens }) => tokens.length));
    const suffixCells = planCells(plan) - plan.prefix.length + this.partials.cells + longest;
    return this.makeRoom(plan, suffixCells, plan.suffixes.length + 1);
  }

  /** The wave being filled computes a running plan's prefix up to `end`. */
  extendPrefix(running: Running<E>, end: number): void {
    const { prefix } = running as OwnRunning<E>;
    prefix.done = end;
    prefix.lastWave = this.wave;
  }

  /**
   * Gives a running plan's next suffix its cells, or lets it share those of an equal suffix. Once a suffix has found no
   * room, those that follow in the wave have to end in it: their cells are then free again after the wave.
   *
   * @param tokens what the wave can compute of it
   * @returns null if there is no room
   */
  trySuffix(running: Running<E>, tokens: number): PartialPrefill<E> | null {
    const own = running as OwnRunning<E>;
    const { plan } = own.entry;
    const suffix = plan.suffixes[own.nextSuffix] as Suffix;
    const partial =
      this.partials.find(own.prefix, suffix, plan.images) ?? this.addPartial(own, suffix, tokens);
    if (partial === null) return null;
    partial.answered.push({ running, suffix: own.nextSuffix });
    own.nextSuffix += 1;
    return partial;
  }

  /** The wave being filled computes a suffix up to `end`. */
  extendSuffix(partial: PartialPrefill<E>, end: number): void {
    (partial as OwnPartial<E>).done = end;
  }

  /** Ends a wave: releases the suffixes that end in it, and the plans without further ones. */
  endWave(): Freed<E> {
    const complete = this.partials.removeComplete();
    for (const { prefix } of this.plans) if (prefix.done === prefix.tokens.length) prefix.images = [];
    this.release(
      (running) =>
        running.nextSuffix === running.entry.plan.suffixes.length && this.partials.of(running).length === 0,
    );
    const before = this.removals;
    this.removals = [];
    return {
      answered: complete.map(({ answered }) => answered),
      before,
      after: [...complete.map(({ sequence }) => sequence), ...this.prefixes.trim()],
    };
  }

  private release(which: (running: Running<E>) => boolean): void {
    const released = new Set(this.plans.filter(which));
    for (const { prefix } of released) {
      prefix.users -= 1;
      if (prefix.users === 0) this.history?.end(prefix.key, prefix.tokens.length);
    }
    this.plans = this.plans.filter((running) => !released.has(running));
  }

  /** Cells that have to be free for suffixes while a plan runs beside the others. */
  private suffixRoom(plan: Plan): number {
    const longest = this.plans.map(({ entry }) => longestSuffix(entry.plan));
    return Math.max(this.partials.cells, longestSuffix(plan), ...longest);
  }

  /** Whether a plan's prefix fits, with the given cells and sequences for suffixes; evicts idle prefixes for that. */
  private makeRoom({ prefix, prefixKey }: Plan, suffixCells: number, suffixSequences: number): boolean {
    const { prefixes, bounds, sequences } = this;
    const known = prefixes.find(prefixKey);
    const cells = (known === undefined ? prefix.length : 0) + suffixCells;
    const wanted = (known === undefined ? 1 : 0) + suffixSequences;
    this.removals.push(...prefixes.makeRoom(cells, wanted, known));
    return bounds.cells - prefixes.cells >= cells && sequences.left >= wanted;
  }

  /** Lets a new prefix start as a copy of the head, which is computed for it if there is room. */
  private takeHead(
    prefix: OwnPrefix,
    suffixRoom: number,
    tokensMax: number,
  ): Pick<Admitted<E>, 'head' | 'headIsNew'> {
    if (!this.startsWithHead(prefix.tokens)) return NO_HEAD;
    const known = this.prefixes.find(HEAD_KEY);
    const head = known ?? this.addHead(suffixRoom, tokensMax);
    if (head === null) return NO_HEAD;
    prefix.done = head.tokens.length;
    return { head, headIsNew: known === undefined };
  }

  private addHead(suffixRoom: number, tokensMax: number): OwnPrefix | null {
    const { prefixes, sequences, bounds } = this;
    const { head: tokens } = this.sharing;
    const room = bounds.cells - prefixes.cells - Math.max(bounds.cells / 2, suffixRoom);
    if (sequences.left < 2 || room < tokens.length || tokensMax <= tokens.length) return null;
    const head = prefixes.add(HEAD_KEY, tokens);
    // The context itself uses it: it is never evicted.
    head.users = 1;
    head.done = tokens.length;
    return head;
  }

  private startsWithHead(prefix: Int32Array): boolean {
    const { head } = this.sharing;
    return head.length > 0 && prefix.length > head.length && head.every((token, i) => prefix[i] === token);
  }

  private addPartial(running: OwnRunning<E>, suffix: Suffix, tokens: number): OwnPartial<E> | null {
    const { bounds, prefixes, partials, sequences } = this;
    const { length } = suffix.tokens;
    if (tokens <= 0 || (this.isFull && length > tokens)) return null;
    this.removals.push(...prefixes.makeRoom(partials.cells + length, 1));
    const fits = sequences.left > 0 && prefixes.cells + partials.cells + length <= bounds.cells;
    if (fits) return partials.add(running.prefix, suffix, running.entry.plan.images);
    this.isFull = true;
    return null;
  }
}

const NO_HEAD = { head: null, headIsNew: false };
