import { imageAt } from '../profile/image-tokens.js';
import type { WaveTask } from '../wave/task.js';
import { type PlanImage, runEnd, textEnd } from '../wave/wave-images.js';
import type { ContextState } from './context-state.js';
import type {
  Answered,
  CachedPrefix,
  Entry,
  PartialPrefill,
  PrefixCounts,
  Running,
} from './scheduler-types.js';
import { type SuffixChunk, WaveWriter } from './wave-writer.js';

/** A wave, and which plans get its results. */
export interface Wave<E extends Entry> {
  readonly task: WaveTask;
  /** Per result of the task. */
  readonly answered: ReadonlyArray<Readonly<Answered<E>>>;
  /** The plans that it computes a part of. */
  readonly running: ReadonlyArray<Running<E>>;
  /** Tokens that it computes, with what encoding its images costs. */
  readonly cost: number;
  readonly prefixes: PrefixCounts;
  /** Cells in use while it is computed. */
  readonly cells: number;
  /** The embeddings that it computes, by the keys of their images; valid once it has run. */
  readonly encoded: ReadonlyMap<string, Float32Array>;
}

/** Fills one wave of a context: counts its tokens, takes cells from the KV cache, and has the parts written. */
export class WaveBuilder<E extends Entry> {
  private readonly writer: WaveWriter<E>;
  private readonly touched = new Set<Running<E>>();
  private used = 0;
  private clear = false;
  private readonly prefixes = { hits: 0, misses: 0 };

  constructor(private readonly context: ContextState<E>) {
    context.cache.beginWave();
    this.writer = new WaveWriter(context.sharing.coupledProductMax, context.embeddings);
  }

  /** Tokens left of the wave. */
  get left(): number {
    return this.context.bounds.waveTokens - this.used;
  }

  /** The wave clears the context first. */
  startEmpty(): void {
    this.context.cache.reset();
    this.clear = true;
  }

  /**
   * Admits a plan to the context; null if there is no room beside those that run.
   *
   * @param headTokensMax computes the head for the plan only if it has fewer tokens
   */
  tryAdmit(entry: E, headTokensMax: number): Running<E> | null {
    const { cache } = this.context;
    let admitted = cache.tryAdmit(entry, headTokensMax);
    if (admitted === null && cache.running.length === 0 && this.used === 0) {
      // Alone it fits, but not beside the head.
      this.startEmpty();
      admitted = cache.tryAdmit(entry, headTokensMax);
    }
    if (admitted === null) return null;
    const { running, isCached, head, headIsNew } = admitted;
    this.prefixes[isCached ? 'hits' : 'misses'] += 1;
    if (head !== null && headIsNew) {
      this.used += head.tokens.length;
      this.writer.addHead(head);
    }
    if (head !== null) this.writer.copyHead(head, running.prefix);
    return running;
  }

  /**
   * Takes as much of a running plan as the budget of tokens allows. An image is never cut: the first one that the plan
   * takes may exceed the budget, up to all that is left of the wave.
   */
  advance(running: Running<E>, budget: number): void {
    if (budget <= 0) return;
    const { prefix } = running;
    const start = prefix.done;
    const { end, cost } = this.reach(prefix, start, budget, this.left);
    const complete = end === prefix.tokens.length;
    if (end === start && !complete) return;
    this.context.cache.extendPrefix(running, end);
    this.used += cost;
    const chunks = complete ? this.takeSuffixes(running, budget - cost, cost === 0) : [];
    if (end > start || chunks.length > 0) this.touched.add(running);
    this.writer.add(prefix, start, chunks);
  }

  /** Tokens of the next step of a running plan if that is an image; 0 if it is text, which can be cut anywhere. */
  nextImage(running: Running<E>): number {
    const { prefix } = running;
    const [partial] = this.context.cache.partialsOf(running);
    const { tokens, images, done } =
      partial === undefined || prefix.done < prefix.tokens.length
        ? prefix
        : { tokens: partial.suffix.tokens, images: partial.images, done: partial.done };
    const image = images[imageAt(tokens[done] ?? 0)];
    return image === undefined ? 0 : this.priceOf(image, runEnd(tokens, done) - done);
  }

  /**
   * How far a list of tokens gets from `start`, and how many tokens of the wave that costs. Attaches the images
   * in between to the wave.
   *
   * @param firstMax what an image may cost if it comes first
   */
  private reach(
    { tokens, images }: Pick<CachedPrefix, 'tokens' | 'images'>,
    start: number,
    budget: number,
    firstMax: number,
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
      if (to === end || cost + price > (end === start ? Math.max(budget, firstMax) : budget)) break;
      if (image !== undefined) this.writer.attach(image);
      end = to;
      cost += price;
    }
    return { end, cost };
  }

  /** An image's tokens, and once per wave the cost of encoding it; at most half a wave, so that it fits in any. */
  private priceOf(image: PlanImage, tokens: number): number {
    if (this.writer.hasAttached(image)) return tokens;
    const half = Math.floor(this.context.bounds.waveTokens / 2);
    return Math.max(tokens, Math.min(half, tokens + this.context.encodeTokens(image)));
  }

  /** Ends the wave; null if nothing was taken. */
  finish(): Wave<E> | null {
    const { context, writer } = this;
    if (this.used === 0) {
      // Copies alone would be lost: without a wave they do not happen.
      if (!writer.isEmpty) throw new Error('a wave has copies and no tokens');
      return null;
    }
    const { cells } = context.cache;
    context.budget.compute(this.used);
    const { answered, before, after } = context.cache.endWave();
    for (const { running } of answered.flat()) this.touched.add(running);
    const clear = context.takeLost() || this.clear;
    return {
      task: { clear, images: writer.images, phases: writer.phases(before), removals: after },
      answered: writer.answered,
      running: [...this.touched],
      cost: this.used,
      prefixes: this.prefixes,
      cells,
      encoded: writer.encoded,
    };
  }

  /** Takes the suffixes that an earlier wave has begun, then new ones. */
  private takeSuffixes(running: Running<E>, budget: number, isFirst: boolean): Array<SuffixChunk<E>> {
    const { cache } = this.context;
    const chunks: Array<SuffixChunk<E>> = [];
    let left = budget;
    const grow = (partial: PartialPrefill<E>) => {
      const start = partial.done;
      const list = { tokens: partial.suffix.tokens, images: partial.images };
      const firstMax = isFirst && chunks.length === 0 ? this.left : 0;
      const { end, cost } = this.reach(list, start, left, firstMax);
      if (end === start) return;
      cache.extendSuffix(partial, end);
      left -= cost;
      chunks.push({ partial, start, end });
    };
    cache.partialsOf(running).forEach(grow);
    while (running.nextSuffix < running.entry.plan.suffixes.length) {
      const partial = cache.trySuffix(running, left);
      if (partial === null) break;
      grow(partial);
    }
    this.used += budget - left;
    return chunks;
  }
}
