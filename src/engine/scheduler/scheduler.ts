import type { PlanLogits, WaveResult } from '../wave/index.js';
import type { ContextState } from './context-state.js';
import type { Entry, Running } from './running.js';
import { type Wave, WaveBuilder } from './wave-builder.js';

/** Live plans go before batch plans. */
export type Urgency = 'live' | 'batch';

/** The part of a wave that long plans may have, and are sure of, while short ones wait. */
const LONG_SHARE = 0.5;
/** After so many waves that gave batch plans nothing, the next gives them a quarter. */
const BATCH_TURN_WAVES = 8;
const BATCH_SHARE = 0.25;
/** Live plans are there while one was in so many of a context's last waves. */
const LIVE_WAVES = 8;
/** What batch plans have of each wave meanwhile: a live plan waits for the one under way, and has company in its own. */
const SHARE_BESIDE_LIVE = 0.2;
/** Most waiting plans that are looked at for one wave; a wave has room for far fewer. */
const CANDIDATES_MAX = 256;

export interface SchedulerOptions {
  /** Most plans that wait, per urgency. */
  readonly queueMax: number;
}

/**
 * Who leaves together. Pure: no threads, no clock, no timers; what arrives while a wave runs forms the next.
 *
 * Plans wait in two queues, live and batch, oldest first. When a context is free, its wave is filled:
 *
 * 1. *Short* live plans that wait, of at most half a wave, oldest first, whole.
 * 2. *Long* live plans and those on the context, the ones that can end before the others, oldest first: each
 *    takes what it can, a chunk of its prefix, then suffixes, of which the last may be cut. While both kinds wait,
 *    each kind is sure of half the wave, so that a short plan never waits behind a long one for more than the
 *    wave under way, and a long one always moves.
 * 3. Batch plans, likewise oldest first, in the room left: all of it while no live plans come. While they do, a fifth of
 *    a wave, also of those without any, and nothing of the first wave that has one: a live plan takes half a full wave
 *    longer than alone, at the most where the next request follows an answer, in the mean where it comes out of the
 *    blue. Batch plans lose no more than live ones take, as far as a wave takes its tokens' time. Where eight waves of
 *    a context had none, the ninth gives them a quarter before anyone else, at the expense of long plans. Where that
 *    finds no room for one, every wave tries again, and until there is room no plan comes to the context but those
 *    that leave it with the same wave: short live plans do not wait for it.
 *
 * Any other plan that finds no room for its prefix beside those that run ends the filling: nobody behind it
 * may take the cells it waits for. A plan on a context stays there until its last suffix's end is in a wave.
 * Because every admitted plan keeps room for its longest suffix, and a partly computed suffix has the cells of all
 * its tokens, the oldest can always go on. A suffix that finds no cells lets no suffix behind it be cut: what those
 * take is free again after the wave.
 *
 * No wave has more tokens than its bound; encoding images counts among them, and an image is never cut, so that the
 * half of the long ones is as large as their next image. Equal prefixes of a context are computed once, and so are equal
 * suffixes on them that are in one wave or partly computed (see WaveBuilder).
 *
 * Exact mode takes one plan at a time onto an empty context, in chunks that depend on nothing else.
 */
export class Scheduler<E extends Entry> {
  private readonly queues: Record<Urgency, E[]> = { live: [], batch: [] };
  private readonly urgency = new WeakMap<E, Urgency>();

  constructor(private readonly options: SchedulerOptions) {}

  /** Plans that wait. */
  waiting(urgency: Urgency): readonly E[] {
    return this.queues[urgency];
  }

  /** False where the queue is full: the entry does not wait. */
  add(entry: E, urgency: Urgency): boolean {
    if (this.queues[urgency].length >= this.options.queueMax) return false;
    this.urgency.set(entry, urgency);
    this.queues[urgency].push(entry);
    return true;
  }

  /** Plans that lost their wave wait again, before all others. */
  addAgain(entries: readonly E[]): void {
    for (const urgency of ['live', 'batch'] as const) {
      this.queues[urgency].unshift(...entries.filter((entry) => this.urgency.get(entry) === urgency));
    }
  }

  /** Takes back a plan that has not left. */
  remove(entry: E): boolean {
    const queue = this.queues[this.urgency.get(entry) ?? 'live'];
    const index = queue.indexOf(entry);
    if (index < 0) return false;
    queue.splice(index, 1);
    return true;
  }

  /** Fills the next wave of a context; null where there is nothing to do for it. */
  fill(context: ContextState<E>): Wave<E> | null {
    context.release();
    const builder = new WaveBuilder(context);
    if (context.sharing.exact) this.fillExact(context, builder);
    else this.fillShared(context, builder);
    return builder.finish();
  }

  private fillExact(context: ContextState<E>, builder: WaveBuilder<E>): void {
    let [running] = context.running;
    if (running === undefined) {
      const entry = this.queues.live.shift() ?? this.queues.batch.shift();
      if (entry === undefined) return;
      builder.startEmpty();
      running = builder.admit(entry, builder.left) ?? undefined;
    }
    if (running !== undefined) builder.advance(running, builder.left);
  }

  private fillShared(context: ContextState<E>, builder: WaveBuilder<E>): void {
    const { waveTokens } = context.bounds;
    const half = Math.floor(waveTokens * LONG_SHARE);
    // Who is short is decided before anything is taken: what a turn of batch plans computes of a shared prefix
    // makes long plans shorter, and they must not take the place of those that are short already.
    const live = this.all('live', context);
    const short = live.filter(({ running, remaining }) => running === null && remaining <= half);
    const finishing = live.filter(({ running, remaining }) => running !== null && remaining <= half);
    const long = [...finishing, ...live.filter(({ remaining }) => remaining > half)];
    const batch = this.all('batch', context);
    const whole = builder.left;
    if (batch.length > 0 && context.wavesWithoutBatch >= BATCH_TURN_WAVES) {
      this.take(batch, context, builder, Math.floor(waveTokens * BATCH_SHARE));
      builder.endTurn();
    }
    const turn = whole - builder.left;
    // What a turn of batch plans has taken comes out of the long plans' half.
    const reserved =
      long.length > 0 && short.length > 0
        ? Math.min(
            builder.left,
            Math.max(builder.left - half, imageStep(finishing, long[finishing.length], builder)),
          )
        : 0;
    this.take(fitting(short, builder.left - reserved), context, builder, builder.left - reserved);
    this.take(long, context, builder, builder.left);
    this.take(short, context, builder, builder.left);
    const before = builder.left;
    this.take(this.all('batch', context), context, builder, batchBudget(before < whole, context, before));
    const moved = turn > 0 || builder.left < before;
    context.wavesSinceLive = live.length > 0 ? 0 : context.wavesSinceLive + 1;
    context.wavesWithoutBatch = batch.length === 0 || moved ? 0 : context.wavesWithoutBatch + 1;
  }

  /** The plans of an urgency on this context, then those that wait. */
  private all(urgency: Urgency, context: ContextState<E>): Array<Candidate<E>> {
    const running = context.running.filter(({ entry }) => this.urgency.get(entry) === urgency);
    return [
      ...running.map((each) => ({ entry: each.entry, running: each, remaining: context.remainingOf(each) })),
      ...this.queues[urgency]
        .slice(0, CANDIDATES_MAX)
        .map((entry) => ({ entry, running: null, remaining: context.remaining(entry) })),
    ];
  }

  /** Takes candidates in order until the budget is used, or one finds no room. */
  private take(
    candidates: ReadonlyArray<Candidate<E>>,
    context: ContextState<E>,
    builder: WaveBuilder<E>,
    budget: number,
  ): void {
    const end = builder.left - budget;
    for (const { entry, running } of candidates) {
      if (builder.left <= end) return;
      if (running !== null && !context.running.includes(running)) continue;
      let taken = running;
      if (taken === null) {
        if (!this.queues[this.urgency.get(entry) as Urgency].includes(entry)) continue;
        taken = builder.admit(entry, builder.left - end);
        if (taken === null) return;
        this.remove(entry);
      }
      builder.advance(taken, builder.left - end);
    }
  }
}

/**
 * What batch plans may take of a wave that has so many tokens left. Always some of an empty wave: live plans
 * may wait for the room of batch plans.
 */
function batchBudget(
  partial: boolean,
  { bounds, wavesSinceLive }: ContextState<Entry>,
  left: number,
): number {
  if (wavesSinceLive < LIVE_WAVES) return Math.min(left, Math.ceil(bounds.waveTokens * SHARE_BESIDE_LIVE));
  return partial ? 0 : left;
}

interface Candidate<E extends Entry> {
  readonly entry: E;
  readonly running: Running<E> | null;
  readonly remaining: number;
}

/** Tokens after which the first long plan can take its next image, behind those that end; 0 where that is none. */
function imageStep<E extends Entry>(
  finishing: ReadonlyArray<Candidate<E>>,
  first: Candidate<E> | undefined,
  builder: WaveBuilder<E>,
): number {
  const image = first?.running ? builder.nextImage(first.running) : 0;
  return image === 0 ? 0 : finishing.reduce((sum, { remaining }) => sum + remaining, image);
}

/** The first candidates, as many as a budget of tokens has room for whole: a short plan is not cut. */
function fitting<E extends Entry>(
  candidates: ReadonlyArray<Candidate<E>>,
  budget: number,
): Array<Candidate<E>> {
  let left = budget;
  const end = candidates.findIndex(({ remaining }) => {
    left -= remaining;
    return left < 0;
  });
  return candidates.slice(0, end < 0 ? candidates.length : end);
}

/** Writes a wave's results to their plans; returns the plans that are whole. */
export function settle<E extends Entry>(
  wave: Wave<E>,
  results: WaveResult,
): Array<{ readonly entry: E; readonly logits: PlanLogits }> {
  wave.answered.forEach((answered, index) => {
    for (const { running, suffix } of answered) running.logits[suffix] = results[index] as Float32Array;
  });
  return wave.running
    .filter(({ entry, logits }) => countOf(logits) === entry.plan.suffixes.length)
    .map(({ entry, logits }) => ({ entry, logits }));
}

/** Entries of a list that has holes. */
const countOf = (list: readonly unknown[]) => Object.keys(list).length;
