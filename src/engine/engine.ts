import { ApiError } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { CountMemory } from './addon/count-memory.js';
import { DrainRate } from './drain-rate.js';
import { type EngineEvents, UNWATCHED } from './events.js';
import { ContextState, type Sharing } from './scheduler/context-state.js';
import { type EmbeddingSizes, Embeddings, noEmbeddings } from './scheduler/embeddings.js';
import { Scheduler, type Urgency } from './scheduler/scheduler.js';
import { type Answer, settle } from './scheduler/step.js';
import type { Entry } from './scheduler/types.js';
import type { Wave } from './scheduler/wave-builder.js';
import type { EngineThread } from './thread.js';
import { longestPrompt, type Plan, type PlanLogits, planCells, type WaveBounds } from './wave/types.js';

/** Waves of batch plans kept waiting per lane, besides those in progress. */
const WAVES_AHEAD = 2;
/** Attempts of a plan whose waves fail. */
const ATTEMPTS_MAX = 2;
/** Most bytes of embeddings that are cached: 60 images of a model of 4,096 numbers per token, at 280 tokens each. */
export const EMBEDDING_BYTES_MAX = 256 << 20;
/** Most bytes of pixels of all live plans; a plan that exceeds it is refused. A request has at most 15 MB. */
export const LIVE_PIXEL_BYTES_MAX = 256 << 20;

export interface EngineOptions {
  readonly bounds: WaveBounds;
  readonly sharing: Sharing;
  /** Most live plans that wait. */
  readonly queueMax: number;
  /** How the model reads images; null: it reads none. */
  readonly images?: EmbeddingSizes | null;
  /** Time limit of a live plan, waiting included, in milliseconds. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly events?: EngineEvents;
  readonly countMemory?: CountMemory;
}

/** How a plan is run. */
export interface RunOptions {
  /** Aborting it removes the plan from the queue, or discards the result of a plan that is being computed. */
  readonly signal: AbortSignal;
  /** Default: `live`. */
  readonly urgency?: Urgency;
  /** Called before `run` returns, once the plan counts in `waiting` and `wantsBatch` or is being computed. */
  readonly onQueued?: () => void;
}

/** The result of a plan. */
export interface EngineAnswer {
  readonly logits: PlanLogits;
  /** From the call to the start of its first wave. */
  readonly queueMs: number;
  /** From then to the end of its last wave. */
  readonly computeMs: number;
}

interface Waiting extends Entry {
  dropped: boolean;
  attempts: number;
  readonly since: number;
  started: number | null;
  readonly resolve: (answer: EngineAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** What the engine needs of a thread. */
type WaveRunner = Pick<EngineThread, 'run'>;

interface Lane {
  readonly thread: WaveRunner;
  readonly context: ContextState<Waiting>;
  busy: boolean;
}

/**
 * Runs the plans of one model: queues them in the scheduler and sends a wave to each free thread. If a wave fails or its
 * thread dies, its plans run once more, from the beginning.
 */
export class Engine {
  private readonly scheduler: Scheduler<Waiting>;
  private readonly lanes: readonly Lane[];
  private readonly drain: DrainRate;
  private readonly embeddings: Embeddings;
  /** Bytes of pixels of all unanswered live plans. */
  private livePixelBytes = 0;
  private readonly events: EngineEvents;

  constructor(
    threads: readonly WaveRunner[],
    private readonly options: EngineOptions,
  ) {
    const { bounds, sharing, queueMax, clock, images, countMemory } = options;
    this.embeddings = images ? new Embeddings(images, EMBEDDING_BYTES_MAX, countMemory) : noEmbeddings();
    this.scheduler = new Scheduler({ queueMax });
    this.lanes = threads.map((thread) => ({
      thread,
      context: new ContextState(bounds, sharing, this.embeddings),
      busy: false,
    }));
    this.drain = new DrainRate(clock);
    this.events = options.events ?? UNWATCHED;
  }

  /** Plans that wait for a wave. */
  waiting(urgency: Urgency): number {
    return this.scheduler.waiting(urgency).length;
  }

  /** Whether so few tokens of batch plans wait that the next waves might not be full. */
  get wantsBatch(): boolean {
    const { bounds, queueMax } = this.options;
    const waiting = this.scheduler.waiting('batch');
    if (waiting.length >= queueMax) return false;
    const enough = bounds.waveTokens * WAVES_AHEAD * this.lanes.length;
    return waiting.reduce((sum, { plan }) => sum + planCells(plan), 0) < enough;
  }

  /**
   * Computes the logits of a plan's suffixes, in order.
   *
   * @throws ApiError `overloaded` if the queue is full or the deadline passes; the signal's reason if it is aborted;
   *   the engine's error if the plan fails twice
   */
  run(plan: Plan, { signal, urgency = 'live', onQueued }: RunOptions): Promise<EngineAnswer> {
    const { bounds, clock, deadlineMs } = this.options;
    return new Promise((resolve, reject) => {
      if (longestPrompt(plan) > bounds.cells)
        throw new Error('the plan does not fit into the cells of a context');
      if (signal.aborted) {
        this.events.planCancelled();
        throw signal.reason;
      }
      const leave = (reason: unknown) => {
        entry.dropped = true;
        this.scheduler.remove(entry);
        entry.reject(reason);
      };
      const onAbort = () => {
        if (entry.started === null) this.events.planCancelled();
        leave(signal.reason);
      };
      const cancelDeadline =
        urgency === 'batch'
          ? () => {}
          : clock.after(deadlineMs, () => {
              this.events.planLate();
              leave(this.overloaded('not answered in time'));
            });
      const pixelBytes = urgency === 'live' ? pixelBytesOf(plan) : 0;
      this.livePixelBytes += pixelBytes;
      const settled = () => {
        cancelDeadline();
        this.livePixelBytes -= pixelBytes;
        signal.removeEventListener('abort', onAbort);
      };
      const entry: Waiting = {
        plan,
        dropped: false,
        attempts: 0,
        since: clock.monotonic(),
        started: null,
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      const fits = pixelBytes === 0 || this.livePixelBytes <= LIVE_PIXEL_BYTES_MAX;
      if (!fits || !this.scheduler.add(entry, urgency)) {
        this.events.planRefused();
        const why = fits
          ? 'the queue is full'
          : 'the images of requests in progress take all memory for images';
        entry.reject(this.overloaded(`refused: ${why}`));
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.dispatch();
      onQueued?.();
    });
  }

  private overloaded(what: string): ApiError {
    const waiting = this.scheduler.waiting('live').reduce((sum, { plan }) => sum + planCells(plan), 0);
    return new ApiError('overloaded', `The request was ${what}.`, {
      retryAfterSeconds: this.drain.secondsFor(waiting, this.lanes.length),
    });
  }

  private dispatch(): void {
    for (const lane of this.lanes) {
      if (lane.busy) continue;
      const wave = this.scheduler.fill(lane.context);
      if (wave === null) continue;
      lane.busy = true;
      void this.send(lane, wave);
    }
  }

  private async send(lane: Lane, wave: Wave<Waiting>): Promise<void> {
    const now = this.options.clock.monotonic();
    for (const { entry } of wave.running) entry.started ??= now;
    const measured = this.drain.measure();
    let finish: () => void;
    try {
      const results = await lane.thread.run(wave.task);
      const tokens = tokensOf(wave);
      measured(tokens);
      this.events.waveDone(tokens);
      const answered = settle(lane.context, wave, results);
      finish = () => this.answer(answered);
    } catch (error) {
      finish = this.runAgain(lane, wave, error);
    }
    // The next wave starts before the answers of this one are written.
    lane.busy = false;
    this.dispatch();
    finish();
  }

  private answer(answered: ReadonlyArray<Answer<Waiting>>): void {
    const now = this.options.clock.monotonic();
    for (const { entry, logits } of answered) {
      const started = entry.started ?? now;
      entry.resolve({ logits, queueMs: started - entry.since, computeMs: now - started });
    }
  }

  /** Queues the plans of a context again after a failed wave: what was computed of them is lost. */
  private runAgain({ context }: Lane, wave: Wave<Waiting>, error: unknown): () => void {
    this.events.waveLost();
    const lost = [...new Set([...wave.running, ...context.cache.running].map(({ entry }) => entry))];
    context.cache.reset();
    for (const entry of lost) entry.attempts += 1;
    const wanted = lost.filter(({ dropped }) => !dropped);
    this.scheduler.addAgain(wanted.filter(({ attempts }) => attempts < ATTEMPTS_MAX));
    return () => {
      for (const entry of wanted) if (entry.attempts >= ATTEMPTS_MAX) entry.reject(error);
    };
  }
}

const tokensOf = ({ task }: Wave<Waiting>) =>
  task.phases.reduce(
    (sum, { streams }) => sum + streams.reduce((total, { tokens }) => total + tokens.length, 0),
    0,
  );

const pixelBytesOf = ({ images }: Plan) => images.reduce((sum, { rgb }) => sum + rgb.byteLength, 0);
