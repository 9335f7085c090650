import type { ContextState } from './context-state.js';
import { plansForOtherLanes } from './routing.js';
import type { Entry, Running } from './scheduler-types.js';
import { type Wave, WaveBuilder } from './wave-builder.js';

/** Live plans come before batch plans. */
export type Urgency = 'live' | 'batch';

/** The share of a wave that long plans are guaranteed, and limited to, while short ones wait. */
const LONG_SHARE = 0.5;
/** The share of a wave that the oldest long plan is guaranteed while others run beside it. */
const OLDEST_SHARE = 0.25;
/** After this many waves that gave batch plans nothing, the next one gives them `BATCH_SHARE`, in exact mode all of it. */
const BATCH_TURN_WAVES = 8;
const BATCH_SHARE = 0.25;
/** Live traffic is assumed for this many waves after one with a live plan. */
const LIVE_WAVES = 8;
/** The share of batch plans meanwhile: a live plan waits for the wave in progress, and shares its own with them. */
const SHARE_BESIDE_LIVE = 0.2;
/** Maximum number of waiting plans that are considered for one wave; a wave has room for far fewer. */
const CANDIDATES_MAX = 256;

interface SchedulerOptions {
  /** Maximum number of plans that wait, per urgency. */
  readonly queueMax: number;
  /** `SHARE_BESIDE_LIVE`, unless the manifest says otherwise. */
  readonly shareBesideLive?: number;
}

/**
 * Decides which plans go into the next wave of a context. Pure: no threads, no clock, no timers. Plans that arrive while
 * a wave runs are considered for the next one.
 *
 * Plans wait in two queues, live and batch, oldest first. A wave is filled in this order; each row takes what it can of the
 * room that the rows before it leave:
 *
 * | plans                                            | order                    | at most                     |
 * | ------------------------------------------------ | ------------------------ | --------------------------- |
 * | batch, if eight waves gave them nothing          | oldest first             | 1/4                         |
 * | *short* live, in the queue: at most half a wave  | oldest first             | 1/2 beside other live plans |
 * | live that run and need at most half a wave       | oldest first             | the rest                    |
 * | *long* live, in the queue or running: the oldest |                          | 1/4 beside other long ones  |
 * | *long* live: the others                          | fewest tokens left first | the rest                    |
 * | *long* live: the oldest again                    |                          | the rest                    |
 * | *short* live again                               | oldest first             | the rest                    |
 * | batch                                            | oldest first             | 1/5 or nothing beside live  |
 *
 * In the second row, a plan is taken whole or not at all. In the others, it gets what it can: a chunk of its prefix, then
 * suffixes, the last of which may be cut.
 *
 * For example, a wave of 100 tokens while a long live plan runs that needs 1,000 more, and short live plans of 20 and 40
 * tokens wait: the first short one is taken, the second does not fit into the half, and the long one gets 80 tokens. The
 * next wave takes the second short one and 60 tokens of the long one. No room is left for batch plans.
 *
 * Live plans: while short and long ones wait, each kind is guaranteed half the wave. So a short plan waits at most for
 * the wave in progress. Among long ones, a request of 400 questions may need a hundred waves and others only two or
 * three, which do not wait for it; nor does it wait for ever, because at last every plan is the oldest.
 *
 * Batch plans: they get all the room that is left while no live plans come. For eight waves after a live plan they get
 * at most a fifth of a wave, even if the wave is otherwise empty, and the first wave with a live plan after a pause
 * gives them nothing. So a live plan is delayed by at most half a full wave, and batch plans lose no more time than
 * live ones use. If eight waves of a context gave batch plans nothing, the ninth gives them a quarter before any other
 * plan, at the expense of the long ones. If no batch plan fits then, every later wave tries again, and until one fits,
 * a plan is admitted only if it finishes in the same wave; short live plans therefore do not wait for it.
 *
 * Cells: if a plan does not fit, no further plan is admitted to the wave, so that none takes the cells that this plan
 * needs. An admitted plan stays on the context until its last suffix ends. Room is kept for the longest suffix of any
 * admitted plan (see `KvCache`), so the oldest one can always continue.
 *
 * No wave exceeds its bound of tokens, including what encoding images costs. An image is never cut: if the next image
 * of a long plan is larger than half the wave, long plans get that much. Equal prefixes of a context are computed once,
 * and so are equal suffixes of one prefix that are in one wave or partly computed.
 *
 * If there are several contexts, a context leaves those plans out that another one should compute, because it holds
 * their prefix (see `plansForOtherLanes`).
 *
 * A plan of a failed wave runs alone: no other plan is computed in its waves. They take turns with waves of the others.
 *
 * Exact mode runs one plan at a time per context, from an empty context, in chunks that depend on nothing but the plan.
 * The first context that is free takes the oldest live plan that does not wait for an equal plan; if there is none, the
 * oldest such batch plan. While both kinds wait, batch plans get one wave of nine: a context takes one after eight waves
 * of live plans, and none until eight more for each wave that it took. So large batch plans do not displace live ones.
 */
export class Scheduler<E extends Entry> {
  private readonly queues: Record<Urgency, E[]> = { live: [], batch: [] };
  private readonly urgency = new WeakMap<E, Urgency>();
  /** Counts the plans as they are added. */
  private readonly arrival = new WeakMap<E, number>();
  private arrivals = 0;
  /** The plan that `fill` considers. */
  private candidate: E | null = null;
  /** The waiting plans that the context being filled leaves to others. */
  private left: ReadonlySet<E> = new Set();

  constructor(private readonly options: SchedulerOptions) {}

  /** Plans that wait. */
  waiting(urgency: Urgency): readonly E[] {
    return this.queues[urgency];
  }

  /** Queues a plan; returns false if the queue is full. */
  add(entry: E, urgency: Urgency): boolean {
    if (this.queues[urgency].length >= this.options.queueMax) return false;
    this.urgency.set(entry, urgency);
    this.arrival.set(entry, this.arrivals);
    this.arrivals += 1;
    this.queues[urgency].push(entry);
    return true;
  }

  /** Queues plans again, before all others, after their wave failed. */
  addAgain(entries: readonly E[]): void {
    for (const urgency of ['live', 'batch'] as const) {
      this.queues[urgency].unshift(...entries.filter((entry) => this.urgency.get(entry) === urgency));
    }
  }

  /** Removes a plan from its queue; returns false if it is not in it. */
  remove(entry: E): boolean {
    const queue = this.queues[this.urgency.get(entry) ?? 'live'];
    const index = queue.indexOf(entry);
    if (index < 0) return false;
    queue.splice(index, 1);
    return true;
  }

  /**
   * Removes the plan at which the last call of `fill` threw from the queues, and returns it; null if the fault was
   * elsewhere. The context is then unusable until `ContextState.lose`.
   */
  removeCandidate(): E | null {
    const { candidate } = this;
    if (candidate !== null) this.remove(candidate);
    return candidate;
  }

  /**
   * Fills the next wave of a context; null if there is nothing to do. Throws only where this program has a fault.
   *
   * @param contexts all contexts that take plans from these queues now
   */
  fill(context: ContextState<E>, contexts: ReadonlyArray<ContextState<E>> = [context]): Wave<E> | null {
    this.candidate = null;
    const { live, batch } = this.queues;
    const builder = new WaveBuilder(context);
    const filling = { context, builder, isClosed: false, batchWaits: false };
    if (context.sharing.exact) this.fillExact(filling);
    else {
      this.left = plansForOtherLanes(context, contexts, [...live, ...batch]);
      this.fillShared(filling);
    }
    this.candidate = null;
    return builder.finish();
  }

  private fillExact({ context, builder }: Filling<E>): void {
    const live = this.queues.live.find(isReady);
    const batch = this.queues.batch.find(isReady);
    let [running] = context.cache.running;
    if (running === undefined) {
      const isTurn = batch !== undefined && context.batchBalance >= BATCH_TURN_WAVES;
      const entry = isTurn ? batch : (live ?? batch);
      if (entry === undefined) return;
      this.candidate = entry;
      builder.startEmpty();
      running = builder.tryAdmit(entry, 0) ?? undefined;
      this.remove(entry);
    }
    if (running === undefined) return;
    const whole = builder.left;
    builder.advance(running, whole);
    // Only waves that run are counted.
    if (builder.left === whole) return;
    const isLive = this.urgency.get(running.entry) === 'live';
    if (isLive) context.batchBalance += 1;
    else if (live !== undefined) context.batchBalance -= BATCH_TURN_WAVES;
    // A wave of batch plans that no live plan waits for costs nothing, and ends what they are owed.
    const most = isLive && batch !== undefined ? BATCH_TURN_WAVES : 0;
    context.batchBalance = Math.min(context.batchBalance, most);
  }

  private fillShared(filling: Filling<E>): void {
    const { context } = filling;
    const first = context.wasAlone ? this.fillOthers : this.fillAlone;
    const second = context.wasAlone ? this.fillAlone : this.fillOthers;
    context.wasAlone = false;
    if (!first.call(this, filling)) second.call(this, filling);
  }

  /**
   * Takes the oldest plan that runs alone, live ones first. If it finds no room, none that waits is admitted, and the
   * next one that runs is taken: it may hold the cells that the first one waits for, and must end first. Returns false
   * if no plan can be taken.
   */
  private fillAlone(filling: Filling<E>): boolean {
    const { context, builder } = filling;
    const { running } = context.cache;
    const { live, batch } = this.queues;
    const alone = [...running.map(({ entry }) => entry), ...live, ...batch].filter(isAlone);
    const isLive = (entry: E) => this.urgency.get(entry) === 'live';
    const left = builder.left;
    for (const entry of [...alone.filter(isLive), ...alone.filter((each) => !isLive(each))]) {
      const found = running.find((each) => each.entry === entry) ?? null;
      if (found === null && filling.isClosed) continue;
      const candidate = { entry, running: found, remaining: left };
      this.take([candidate], filling, isLive(entry) ? left : this.batchBudget(false, context, left));
      if (builder.left < left) break;
    }
    context.wasAlone = builder.left < left;
    return context.wasAlone;
  }

  /** Takes plans that run together. Returns whether there were any. */
  private fillOthers(filling: Filling<E>): boolean {
    const { context, builder } = filling;
    const { waveTokens } = context.bounds;
    const half = Math.floor(waveTokens * LONG_SHARE);
    // Classified before anything is taken: a batch turn may compute a prefix that a long plan shares, which must not
    // turn it into a short plan that takes the place of another.
    const live = this.all('live', context);
    const short = live.filter(({ running, remaining }) => running === null && remaining <= half);
    const finishing = live.filter(({ running, remaining }) => running !== null && remaining <= half);
    const long = this.oldestFirst(live.filter(({ remaining }) => remaining > half));
    const batch = this.all('batch', context);
    const whole = builder.left;
    if (batch.length > 0 && context.wavesWithoutBatch >= BATCH_TURN_WAVES) this.takeBatchTurn(batch, filling);
    const turn = whole - builder.left;
    // The tokens of a batch turn come out of the long plans' half.
    const reserved =
      finishing.length + long.length > 0 && short.length > 0
        ? Math.min(builder.left, Math.max(builder.left - half, imageStep(finishing, long[0], builder)))
        : 0;
    this.take(fitting(short, builder.left - reserved), filling, builder.left - reserved);
    this.take(finishing, filling, builder.left);
    this.takeLong(long, filling);
    this.take(short, filling, builder.left);
    const before = builder.left;
    this.take(this.all('batch', context), filling, this.batchBudget(before < whole - turn, context, before));
    const advanced = turn > 0 || builder.left < before;
    if (batch.length === 0 || advanced) context.wavesWithoutBatch = 0;
    // An idle context is filled whenever a plan arrives, often with nothing: only waves that run are counted.
    if (builder.left === whole) return false;
    context.wavesSinceLive = live.length > 0 ? 0 : context.wavesSinceLive + 1;
    if (batch.length > 0 && !advanced) context.wavesWithoutBatch += 1;
    return true;
  }

  /** Sorts long plans: the oldest, then those with the fewest tokens left. */
  private oldestFirst(long: ReadonlyArray<Candidate<E>>): Array<Candidate<E>> {
    const arrived = ({ entry }: Candidate<E>) => this.arrival.get(entry) as number;
    const [first, ...rest] = [...long].sort((a, b) => arrived(a) - arrived(b));
    return first === undefined ? [] : [first, ...rest.sort((a, b) => a.remaining - b.remaining)];
  }

  /** Takes long plans: a share for the oldest, the others, and the oldest again in the room that they leave. */
  private takeLong([oldest, ...others]: ReadonlyArray<Candidate<E>>, filling: Filling<E>): void {
    const { builder, context } = filling;
    if (oldest === undefined) return;
    if (others.length > 0) {
      const share = Math.ceil(context.bounds.waveTokens * OLDEST_SHARE);
      this.take([oldest], filling, Math.min(builder.left, share));
      this.take(others, filling, builder.left);
    }
    const running = context.cache.running.find(({ entry }) => entry === oldest.entry) ?? null;
    this.take([{ ...oldest, running }], filling, builder.left);
  }

  /** The running plans of an urgency, then those that wait; without those that run alone. */
  private all(urgency: Urgency, context: ContextState<E>): Array<Candidate<E>> {
    const { cache } = context;
    const running = cache.running.filter(
      ({ entry }) => this.urgency.get(entry) === urgency && !isAlone(entry),
    );
    const waiting = this.queues[urgency].filter((entry) => !isAlone(entry) && !this.left.has(entry));
    return [
      ...running.map((each) => ({ entry: each.entry, running: each, remaining: cache.remainingOf(each) })),
      ...waiting.slice(0, CANDIDATES_MAX).map((entry) => {
        this.candidate = entry;
        return { entry, running: null, remaining: context.remaining(entry) };
      }),
    ];
  }

  /**
   * What batch plans may take of a wave with `left` tokens. Never 0 for an empty wave: live plans may wait for cells of
   * batch plans.
   */
  private batchBudget(hasLive: boolean, { bounds, wavesSinceLive }: ContextState<E>, left: number): number {
    const { shareBesideLive = SHARE_BESIDE_LIVE } = this.options;
    if (wavesSinceLive < LIVE_WAVES) return Math.min(left, Math.ceil(bounds.waveTokens * shareBesideLive));
    return hasLive ? 0 : left;
  }

  /** Gives batch plans their share before any other plan. */
  private takeBatchTurn(batch: ReadonlyArray<Candidate<E>>, filling: Filling<E>): void {
    this.take(batch, filling, Math.floor(filling.context.bounds.waveTokens * BATCH_SHARE));
    filling.batchWaits = filling.isClosed;
    filling.isClosed = false;
  }

  /** Takes candidates in order, until the budget is used; once one does not fit, only those that run. */
  private take(candidates: ReadonlyArray<Candidate<E>>, filling: Filling<E>, budget: number): void {
    const { context, builder } = filling;
    const end = builder.left - budget;
    let isRefused = false;
    for (const { entry, running } of candidates) {
      if (builder.left <= end) return;
      this.candidate = entry;
      if (running !== null && !context.cache.running.includes(running)) continue;
      let taken = running;
      if (taken === null) {
        if (isRefused || !this.queues[this.urgency.get(entry) as Urgency].includes(entry)) continue;
        taken = this.admit(entry, filling, builder.left - end);
        isRefused = taken === null;
        if (taken === null) continue;
        this.remove(entry);
      }
      builder.advance(taken, builder.left - end);
    }
  }

  private admit(entry: E, filling: Filling<E>, budget: number): Running<E> | null {
    const { context, builder, isClosed, batchWaits } = filling;
    if (isClosed) return null;
    const finishes = () => context.remaining(entry) <= budget && context.cache.fitsInOneWave(entry);
    if (batchWaits && !finishes()) return null;
    const running = builder.tryAdmit(entry, batchWaits ? 0 : budget);
    if (running === null) filling.isClosed = true;
    return running;
  }
}

const isReady = ({ waits }: Entry) => waits !== true;
const isAlone = ({ alone }: Entry) => alone === true;

/** The state of one call of `fill`. */
interface Filling<E extends Entry> {
  readonly context: ContextState<E>;
  readonly builder: WaveBuilder<E>;
  /** A plan did not fit: no further one is admitted. */
  isClosed: boolean;
  /** A batch plan did not fit in its turn: only plans that finish in this wave are admitted. */
  batchWaits: boolean;
}

interface Candidate<E extends Entry> {
  readonly entry: E;
  readonly running: Running<E> | null;
  readonly remaining: number;
}

/** Tokens that the first long plan needs for its next image, after the finishing ones; 0 if its next step is text. */
function imageStep<E extends Entry>(
  finishing: ReadonlyArray<Candidate<E>>,
  first: Candidate<E> | undefined,
  builder: WaveBuilder<E>,
): number {
  const image = first?.running ? builder.nextImage(first.running) : 0;
  return image === 0 ? 0 : finishing.reduce((sum, { remaining }) => sum + remaining, image);
}

/** The first candidates that fit completely into a budget of tokens: a short plan is not cut. */
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
