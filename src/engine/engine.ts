import { ApiError, LIMITS } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { CountMemory } from './addon/count-memory.js';
import { SharedAnswers } from './answers/shared-answers.js';
import { type EngineEvents, UNWATCHED } from './engine-events.js';
import type { LaneStatus, WaveRunner } from './lanes/lane.js';
import { WaveLoop } from './lanes/wave-loop.js';
import { type EngineAnswer, Pending } from './pending.js';
import type { WaveRecord } from './record/wave-record.js';
import { ContextState, type Sharing } from './scheduler/context-state.js';
import { type EmbeddingSizes, Embeddings, noEmbeddings } from './scheduler/embeddings.js';
import { AdaptiveBudget } from './scheduler/idle-budget.js';
import { Scheduler, type Urgency } from './scheduler/scheduler.js';
import { longestPrompt, type Plan, planCells, type WaveBounds } from './wave/wave-types.js';
import { withWorkspace } from './workspace-keys.js';

/** Waves of batch plans that wait per lane, besides those in progress. */
const WAVES_AHEAD = 2;
/** Maximum number of bytes of embeddings that are cached: 60 images of a model of 4,096 numbers per token, at 280 tokens each. */
export const EMBEDDING_BYTES_MAX = 256 << 20;
/** Maximum number of bytes of pixels of all live plans; a plan that exceeds it is refused. A request has at most 15 MB. */
export const LIVE_PIXEL_BYTES_MAX = 256 << 20;

export interface EngineOptions {
  readonly bounds: WaveBounds;
  readonly sharing: Sharing;
  /** Maximum number of live plans that wait. May change, like `deadlineMs`: it is read at each use. */
  readonly queueMax: number;
  /** Maximum part of a wave for batches beside live requests; absent: the scheduler's. */
  readonly shareBesideLive?: number;
  /** How the model reads images; null: it reads none. */
  readonly images?: EmbeddingSizes | null;
  /** Time limit of a live plan, waiting included, in milliseconds: once for every 16 suffixes, as it may have questions; in exact mode once. */
  readonly deadlineMs: number;
  /** Exact mode: maximum bytes of answers in the cache, read at each use. 0 or absent: no answers are shared. */
  readonly answerBytesMax?: number;
  readonly clock: Clock;
  readonly events?: EngineEvents;
  readonly countMemory?: CountMemory;
  /** Records which labelled plans are being computed. */
  readonly record?: Pick<WaveRecord, 'begin' | 'abandon'>;
}

/** How a plan is run. */
export interface RunOptions {
  /** Aborting it removes the plan from the queue, or discards the result of a plan that is being computed. */
  readonly signal: AbortSignal;
  /** Default: `live`. */
  readonly urgency?: Urgency;
  /** The plan's name in `EngineOptions.record`; it must hold nothing of callers. Default: none. */
  readonly label?: string;
  /** Whether no other plan is computed in its waves, because one has failed in company. Its first failed wave is its last. */
  readonly alone?: boolean;
  /**
   * Whose plans share answers (see `SharedAnswers`), prefixes and images. Absent: no answers; prefixes and images with the
   * other plans that have none.
   */
  readonly workspace?: string;
  /** Called before `run` returns, if the plan is not answered from the cache, once the plan counts in `waiting` and `wantsBatch` or is being computed. */
  readonly onQueued?: () => void;
}

/** Runs the plans of one model: bounds them, queues them in the scheduler, and answers them as `WaveLoop` computes them. */
export class Engine {
  private readonly scheduler: Scheduler<Pending>;
  private readonly loop: WaveLoop;
  private readonly answers: SharedAnswers;
  private readonly unanswered = new Set<Pending>();
  /** What all plans are rejected with; null: they are computed. */
  private abandoned: ApiError | null = null;
  /** Bytes of pixels of all unanswered live plans. */
  private livePixelBytes = 0;
  private readonly events: EngineEvents;

  constructor(
    threads: readonly WaveRunner[],
    private readonly options: EngineOptions,
  ) {
    const { bounds, sharing, clock, images, countMemory, record } = options;
    const embeddings = images ? new Embeddings(images, EMBEDDING_BYTES_MAX, countMemory) : noEmbeddings();
    this.events = options.events ?? UNWATCHED;
    this.scheduler = new Scheduler(options);
    this.answers = new SharedAnswers(() => (sharing.exact ? (options.answerBytesMax ?? 0) : 0), this.events, {
      remove: (pending) => this.scheduler.remove(pending),
      dispatch: () => this.loop.dispatch(),
    });
    const budget = new AdaptiveBudget(sharing.idleCellsMax);
    this.loop = new WaveLoop(threads, {
      scheduler: this.scheduler,
      clock,
      events: this.events,
      record,
      newContext: () => new ContextState(bounds, sharing, embeddings, budget),
    });
  }

  /** Plans that wait for a wave. */
  waiting(urgency: Urgency): number {
    return this.scheduler.waiting(urgency).length;
  }

  /** The lanes that work: those that compute waves, now or soon. */
  get workingLanes(): number {
    return this.loop.workingLanes;
  }

  /** What every lane does now. */
  get lanes(): readonly LaneStatus[] {
    return this.loop.statuses;
  }

  get laneCount(): number {
    return this.loop.laneCount;
  }

  /** Bytes of the answers in the cache. */
  get answerBytes(): number {
    return this.answers.bytes;
  }

  /** Call it after `answerBytesMax` has changed. */
  shrinkAnswers(): void {
    this.answers.shrink();
  }

  /** Throws ApiError `model_unavailable` while no lane works. */
  checkWorking(): void {
    this.loop.checkWorking();
  }

  /** Whether so few tokens of batch plans wait that the next waves might not be full. */
  get wantsBatch(): boolean {
    const { bounds, queueMax } = this.options;
    const waiting = this.scheduler.waiting('batch');
    if (waiting.length >= queueMax) return false;
    const enough = bounds.waveTokens * WAVES_AHEAD * this.loop.workingLanes;
    return waiting.reduce((sum, { plan }) => sum + planCells(plan), 0) < enough;
  }

  /**
   * Computes the logits of a plan's suffixes, in order, or finds those of an equal plan.
   *
   * @throws ApiError `overloaded` if the queue is full or the deadline passes, `model_unavailable` if no lane works, for a
   *   batch plan as NotComputed; the signal's reason if it is aborted; the engine's error if the plan fails twice
   */
  async run(plan: Plan, options: RunOptions): Promise<EngineAnswer> {
    const { signal, urgency = 'live', label = null, alone = false, workspace, onQueued } = options;
    const { bounds, clock } = this.options;
    if (longestPrompt(plan) > bounds.cells)
      throw new Error('the plan does not fit into the cells of a context');
    if (signal.aborted) {
      this.events.planCancelled();
      throw signal.reason;
    }
    if (this.abandoned !== null) throw this.abandoned;
    const key = this.answers.keyOf(plan, workspace);
    const known = key === null ? undefined : this.answers.find(key, plan);
    if (known !== undefined)
      return { logits: known, queueMs: 0, computeMs: 0, isShared: true, cachedTokens: 0 };
    const own = workspace === undefined ? plan : withWorkspace(plan, workspace);
    const pending = new Pending(own, clock.monotonic(), label, alone);
    if (urgency === 'live') this.admitLive(pending);
    this.add(pending, urgency);
    if (key !== null) this.answers.share(key, pending);
    this.unanswered.add(pending);
    pending.finally(() => this.unanswered.delete(pending));
    const onAbort = () => {
      if (pending.started === null) this.events.planCancelled();
      this.leaveAlone(pending, signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    pending.finally(() => signal.removeEventListener('abort', onAbort));
    this.loop.dispatch();
    onQueued?.();
    return pending.answer;
  }

  /** Rejects every plan that is not answered yet, and every plan from now on. */
  abandon(reason: ApiError): void {
    this.abandoned = reason;
    for (const pending of [...this.unanswered]) this.leave(pending, reason);
  }

  /** Gives no more waves to any lane. */
  close(): void {
    this.loop.close();
  }

  /** Counts a live plan's pixels and starts its deadline. Throws ApiError. */
  private admitLive(pending: Pending): void {
    const { clock, deadlineMs, sharing } = this.options;
    this.loop.checkWorking();
    const bytes = pixelBytesOf(pending.plan);
    if (bytes > 0 && this.livePixelBytes + bytes > LIVE_PIXEL_BYTES_MAX)
      throw this.refusal('the images of requests in progress take all memory for images');
    this.livePixelBytes += bytes;
    // In exact mode a plan has its lane for itself: a longer time would let one caller hold up all others.
    const limits = sharing.exact ? 1 : Math.ceil(pending.plan.suffixes.length / LIMITS.questions);
    const cancelDeadline = clock.after(deadlineMs * limits, () => {
      this.events.planLate();
      this.leaveAlone(pending, this.overloaded('not answered in time'));
    });
    pending.finally(() => {
      this.livePixelBytes -= bytes;
      cancelDeadline();
    });
  }

  private add(pending: Pending, urgency: Urgency): void {
    if (this.scheduler.add(pending, urgency)) return;
    const refusal = this.refusal('the queue is full');
    // No caller holds its promise.
    pending.answer.catch(() => {});
    pending.reject(refusal);
    throw refusal;
  }

  /** Ends one plan; equal ones that waited for it can be computed. */
  private leaveAlone(pending: Pending, reason: unknown): void {
    this.leave(pending, reason);
    if (pending.equals !== null) this.loop.dispatch();
  }

  private leave(pending: Pending, reason: unknown): void {
    this.scheduler.remove(pending);
    pending.reject(reason);
  }

  private refusal(why: string): ApiError {
    this.events.planRefused();
    return this.overloaded(`refused: ${why}`);
  }

  private overloaded(what: string): ApiError {
    const waiting = this.scheduler.waiting('live').reduce((sum, { plan }) => sum + planCells(plan), 0);
    return new ApiError('overloaded', `The request was ${what}.`, {
      retryAfterSeconds: this.loop.drain.secondsFor(waiting, Math.max(1, this.loop.workingLanes)),
    });
  }
}

const pixelBytesOf = ({ images }: Plan) => images.reduce((sum, { rgb }) => sum + rgb.byteLength, 0);
