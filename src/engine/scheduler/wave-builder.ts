import { imageAt } from '../profile/index.js';
import { type PlanImage, runEnd, textEnd, type WaveTask } from '../wave/index.js';
import { type ContextState, HEAD_KEY } from './context-state.js';
import type { Answered, PartialPrefill } from './partial-prefills.js';
import type { CachedPrefix } from './prefix-cache.js';
import type { Entry, Running } from './running.js';
import { type Piece, WaveWriter } from './wave-writer.js';

/** A wave, and who gets which of its results. */
export interface Wave<E extends Entry> {
  readonly task: WaveTask;
  /** Per result of the task. */
  readonly answered: ReadonlyArray<Readonly<Answered<E>>>;
  /** Everyone whose plan it touches. */
  readonly running: ReadonlyArray<Running<E>>;
  /** The embeddings that it makes, by their images' keys: there once it has been computed. */
  readonly encoded: ReadonlyMap<string, Float32Array>;
}

/** Fills one wave for one context. What is taken here is in the wave; nothing is given back but by `finish`. */
export class WaveBuilder<E extends Entry> {
  private readonly writer: WaveWriter<E>;
  private readonly touched = new Set<Running<E>>();
  private used = 0;
  private clear = false;
  /** A plan found no room: nobody behind it may take what it waits for. */
  private closed = false;
  /** A batch plan found no room in its turn: who does not leave with this wave may not come before it. */
  private awaited = false;
  /** A suffix found no room: no suffix behind it may keep its cells beyond this wave. */
  private crowded = false;

  constructor(private readonly context: ContextState<E>) {
    context.wave += 1;
    this.writer = new WaveWriter(context.sharing.coupledProductMax, context.embeddings);
  }

  /** Tokens left of the wave. */
  get left(): number {
    return this.context.bounds.waveTokens - this.used;
  }

  /** The wave starts on an empty context. */
  startEmpty(): void {
    this.context.reset();
    this.clear = true;
  }

  /**
   * Gives a plan its place on the context; null where there is no room beside those that run. Room is for its
   * prefix, and for the longest suffix of anyone: then the oldest plan can always go on. The head is computed
   * with it where the budget of tokens allows.
   */
  admit(entry: E, budget: number): Running<E> | null {
    if (this.closed || (this.awaited && !this.finishesAtOnce(entry, budget))) return null;
    if (!this.hasRoom(entry, this.context.suffixRoom(entry), 1)) {
      if (this.context.running.length > 0 || this.used > 0) {
        this.closed = true;
        return null;
      }
      // Alone it fits, but not beside the head.
      this.startEmpty();
    }
    const { prefixes, running } = this.context;
    const prefix = prefixes.find(entry.plan.prefixKey) ?? this.newPrefix(entry, budget);
    prefix.users += 1;
    const admitted = { entry, prefix, nextSuffix: 0, logits: [] };
    running.push(admitted);
    return admitted;
  }

  /** Ends the turn of batch plans. */
  endTurn(): void {
    this.awaited = this.closed;
    this.closed = false;
  }

  /** Whether a plan is whole after this wave, whatever room the others want. */
  private finishesAtOnce(entry: E, budget: number): boolean {
    const { context } = this;
    const sequences = entry.plan.suffixes.length + 1;
    return context.remaining(entry) <= budget && this.hasRoom(entry, context.wholeRoom(entry), sequences);
  }

  /** Whether a plan fits beside those that run, once idle prefixes are forgotten; the room is for suffixes. */
  private hasRoom({ plan }: E, suffixCells: number, suffixSequences: number): boolean {
    const { prefixes, bounds, sequences, removals } = this.context;
    const known = prefixes.find(plan.prefixKey);
    const cells = (known === undefined ? plan.prefix.length : 0) + suffixCells;
    const wanted = (known === undefined ? 1 : 0) + suffixSequences;
    removals.push(...prefixes.makeRoom(cells, wanted, known));
    return bounds.cells - prefixes.cells >= cells && sequences.left >= wanted;
  }

  /**
   * Takes as much of a running plan as the budget of tokens allows. An image is taken whole: what comes first may be one
   * that only the whole wave has room for.
   */
  advance(running: Running<E>, budget: number): void {
    if (budget <= 0) return;
    const { prefix } = running;
    const start = prefix.done;
    const { end, cost } = this.reach(prefix, start, budget, this.left);
    const whole = end === prefix.tokens.length;
    if (end === start && !whole) return;
    this.touched.add(running);
    prefix.lastWave = this.context.wave;
    prefix.done = end;
    this.used += cost;
    this.writer.add(prefix, start, whole ? this.takeSuffixes(running, budget - cost, cost === 0) : []);
  }

  /** What the next step of a running plan takes where that is an image; 0 where it can be cut as small as need be. */
  nextImage(running: Running<E>): number {
    const { prefix } = running;
    const [partial] = this.context.partials.of(running);
    const { tokens, images, done } =
      partial === undefined || prefix.done < prefix.tokens.length
        ? prefix
        : { tokens: partial.suffix.tokens, images: partial.images, done: partial.done };
    const image = images[imageAt(tokens[done] ?? 0)];
    return image === undefined ? 0 : this.priceOf(image, runEnd(tokens, done) - done);
  }

  /** How far a list of tokens gets from `start` on, and what that takes of the wave; `most`: what the first step may. */
  private reach(
    { tokens, images }: Pick<CachedPrefix, 'tokens' | 'images'>,
    start: number,
    budget: number,
    most: number,
  ): { readonly end: number; readonly cost: number } {
    if (images.length === 0) {
      const end = Math.min(tokens.length, start + Math.max(0, budget));
      return { end, cost: end - start };
    }
    let [end, cost] = [start, 0];
    while (end < tokens.length) {
      const image = images[imageAt(tokens[end] as number)];
      const to =
        image === undefined
          ? textEnd(tokens, end, Math.min(tokens.length, end + budget - cost))
          : runEnd(tokens, end);
      const price = image === undefined ? to - end : this.priceOf(image, to - end);
      if (to === end || cost + price > (end === start ? Math.max(budget, most) : budget)) break;
      if (image !== undefined) this.writer.show(image);
      end = to;
      cost += price;
    }
    return { end, cost };
  }

  /** An image's tokens, and once per wave what encoding it takes; at most half a wave, so that it fits in any. */
  private priceOf(image: PlanImage, tokens: number): number {
    if (this.writer.shows(image)) return tokens;
    const half = Math.floor(this.context.bounds.waveTokens / 2);
    return Math.max(tokens, Math.min(half, tokens + this.context.encodeTokens(image)));
  }

  /** The wave; null where nothing was taken. Plans whose last suffix ends in it leave the context. */
  finish(): Wave<E> | null {
    const { context, writer } = this;
    if (this.used === 0) return null;
    const ended = context.partials.end();
    for (const { answered } of ended) for (const { running } of answered) this.touched.add(running);
    const isWhole = (running: Running<E>) =>
      running.nextSuffix === running.entry.plan.suffixes.length && context.partials.of(running).length === 0;
    for (const running of context.running.filter(isWhole)) running.prefix.users -= 1;
    context.running = context.running.filter((running) => !isWhole(running));
    for (const { prefix } of this.touched) if (prefix.done === prefix.tokens.length) prefix.images = [];
    const before = context.removals;
    context.removals = [];
    return {
      task: {
        clear: this.clear,
        images: writer.images,
        phases: writer.phases(before),
        removals: [...ended.map(({ sequence }) => sequence), ...context.prefixes.trim()],
      },
      answered: writer.answered,
      running: [...this.touched],
      encoded: writer.encoded,
    };
  }

  private newPrefix(entry: E, budget: number): CachedPrefix {
    const { prefixes } = this.context;
    const prefix = prefixes.add(entry.plan.prefixKey, entry.plan.prefix, entry.plan.images);
    if (!this.context.startsWithHead(prefix.tokens)) return prefix;
    const head = prefixes.find(HEAD_KEY) ?? this.newHead(entry, budget);
    if (head === null) return prefix;
    this.writer.copyHead(head, prefix);
    prefix.done = head.tokens.length;
    return prefix;
  }

  /** Computes the head, before anything else of the wave; null where it has no room, or others want that. */
  private newHead(entry: E, budget: number): CachedPrefix | null {
    const { prefixes, sequences, sharing, bounds } = this.context;
    const { length } = sharing.head;
    if (this.awaited) return null;
    const room = bounds.cells - prefixes.cells - Math.max(bounds.cells / 2, this.context.suffixRoom(entry));
    if (sequences.left < 2 || room < length || budget <= length) return null;
    const head = prefixes.add(HEAD_KEY, sharing.head);
    // Its user is the context: it is never forgotten.
    head.users = 1;
    head.done = length;
    this.used += length;
    this.writer.addHead(head);
    return head;
  }

  /** First the suffix that the plan's last wave cut, then those it has not started. */
  private takeSuffixes(running: Running<E>, budget: number, first: boolean): Array<Piece<E>> {
    const { suffixes } = running.entry.plan;
    const pieces: Array<Piece<E>> = [];
    let left = budget;
    const grow = (partial: PartialPrefill<E>) => {
      const start = partial.done;
      const list = { tokens: partial.suffix.tokens, images: partial.images };
      const most = first && pieces.length === 0 ? this.left : 0;
      const { end, cost } = this.reach(list, start, left, most);
      if (end === start) return;
      partial.done = end;
      left -= cost;
      pieces.push({ partial, start, end });
    };
    this.context.partials.of(running).forEach(grow);
    for (; running.nextSuffix < suffixes.length; running.nextSuffix++) {
      const partial = this.suffixOf(running, left);
      if (partial === null) break;
      partial.answered.push({ running, suffix: running.nextSuffix });
      grow(partial);
    }
    this.used += budget - left;
    return pieces;
  }

  /** A plan's next suffix: partial for an equal one of this context, or now; null where there is no room for it. */
  private suffixOf({ prefix, nextSuffix, entry }: Running<E>, left: number): PartialPrefill<E> | null {
    const { bounds, prefixes, sequences, partials, removals } = this.context;
    const suffix = entry.plan.suffixes[nextSuffix] as (typeof entry.plan.suffixes)[number];
    const { images } = entry.plan;
    const twin = partials.find(prefix, suffix, images);
    if (twin !== undefined) return twin;
    const { length } = suffix.tokens;
    if (left <= 0 || (this.crowded && length > left)) return null;
    removals.push(...prefixes.makeRoom(partials.cells + length, 0));
    const room = sequences.left > 0 && prefixes.cells + partials.cells + length <= bounds.cells;
    if (room) return partials.begin(prefix, suffix, images);
    this.crowded = true;
    return null;
  }
}
