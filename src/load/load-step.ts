import type { Clock } from '../base/index.js';
import type { LoadRequest, Outcome, RequestSource, Send } from './load-types.js';
import { NOT_SENT, Recorder, TIMEOUT } from './recorder.js';

/** Requests in flight or waiting for a connection. At this number, further arrivals fail as `not_sent`. */
export const OUTSTANDING_MAX = 20_000;

/** An arrival is due this much before its time, so that rounding of the clock cannot set a timer for no time at all. */
const ROUNDING_MS = 0.001;

/** A latency that a share (0 to 1) of the requests must meet. */
export interface StepTarget {
  readonly ms: number;
  readonly share: number;
}

/** The largest number of misses with which a share of the requests meets a target. */
const missesAllowed = (requests: number, share: number): number =>
  // 1 − 0.9 is less than a tenth. A share has at most four decimal places.
  Math.floor(requests * (1 - share) + 1e-6);

interface StepPlan {
  /** Intended starts in milliseconds after the start of the step, ascending. */
  readonly arrivals: readonly number[];
  /** Requests that start earlier than this are sent but not recorded. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly connections: number;
  /** From the intended start of a request. */
  readonly timeoutMs: number;
  /** Arrivals end as soon as the target cannot be met any more. */
  readonly target?: StepTarget | undefined;
}

interface StepDependencies {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly requests: RequestSource;
  readonly send: Send;
  /** Ends the step: outstanding requests are cancelled and not recorded. */
  readonly stop: AbortSignal;
}

/**
 * Open-loop load at one rate. Every request is dispatched at its arrival time, whatever became of earlier ones, and its
 * latency counts from that time: the wait for a connection and delays of this process are part of it.
 */
export class Step {
  readonly recorder: Recorder;
  /** Resolves when the last request has ended. Never rejects. */
  readonly finished: Promise<void>;
  private readonly connections: Connections;
  private readonly outstanding = new Set<AbortController>();
  private readonly startedAt: number;
  /** Failed or slow requests that the target allows. */
  private readonly missesAllowed: number;
  /** The index of the next arrival; the number of arrivals if no more are to come. */
  private next = 0;
  private cancelTimer = () => {};
  private finish = () => {};

  /** Starts at once. */
  constructor(
    private readonly plan: StepPlan,
    private readonly dependencies: StepDependencies,
  ) {
    const { arrivals, warmUpSeconds, seconds, target } = plan;
    const start = warmUpSeconds * 1_000;
    this.recorder = new Recorder({ start, end: start + seconds * 1_000 }, target?.ms);
    const recorded = arrivals.filter((at) => this.recorder.records(at)).length;
    this.missesAllowed = target === undefined ? recorded : missesAllowed(recorded, target.share);
    this.connections = new Connections(plan.connections);
    this.startedAt = dependencies.clock.monotonic();
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
    dependencies.stop.addEventListener('abort', this.abandon, { once: true });
    if (dependencies.stop.aborted) this.abandon();
    else this.dispatchDue();
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.dependencies.clock.monotonic() - this.startedAt;
  }

  /** Requests without an end so far. */
  get pending(): number {
    return this.outstanding.size;
  }

  /** Whether too many requests missed the target, whatever becomes of the others. */
  get missedTarget(): boolean {
    return this.recorder.missed > this.missesAllowed;
  }

  private readonly dispatchDue = (): void => {
    const { arrivals } = this.plan;
    for (let now = this.elapsed; this.next < arrivals.length; now = this.elapsed) {
      const start = arrivals[this.next] as number;
      if (start - now > ROUNDING_MS) {
        this.cancelTimer = this.dependencies.clock.after(start - now, this.dispatchDue);
        return;
      }
      this.next += 1;
      this.dispatch(start, now);
    }
    this.finishIfDone();
  };

  private dispatch(start: number, now: number): void {
    const request = this.dependencies.requests.next();
    this.recorder.dispatched(start, now);
    if (this.outstanding.size >= OUTSTANDING_MAX) this.recorder.ended(request.shape, start, now, NOT_SENT);
    else void this.complete(request, start, now);
  }

  private async complete(request: LoadRequest, start: number, now: number): Promise<void> {
    const { clock, stop } = this.dependencies;
    const cut = new AbortController();
    const cancelTimeout = clock.after(start + this.plan.timeoutMs - now, () => cut.abort());
    this.outstanding.add(cut);
    const outcome = await this.ask(request, start, cut.signal);
    this.outstanding.delete(cut);
    cancelTimeout();
    if (!stop.aborted) this.recorder.ended(request.shape, start, this.elapsed, outcome);
    if (this.missedTarget) this.endArrivals();
    this.finishIfDone();
  }

  /** The outcome of a request; a timeout if the signal ends it. */
  private async ask(request: LoadRequest, start: number, cut: AbortSignal): Promise<Outcome> {
    try {
      if (await this.connections.take(cut)) this.recorder.waitedForConnection(start);
    } catch {
      return TIMEOUT;
    }
    try {
      const outcome = await this.dependencies.send(request, cut);
      return cut.aborted && !outcome.answered ? TIMEOUT : outcome;
    } catch (error) {
      if (cut.aborted) return TIMEOUT;
      throw error;
    } finally {
      this.connections.release();
    }
  }

  private readonly abandon = (): void => {
    this.endArrivals();
    for (const cut of this.outstanding) cut.abort();
    this.finishIfDone();
  };

  private endArrivals(): void {
    if (this.next < this.plan.arrivals.length) this.recorder.close(this.elapsed);
    this.cancelTimer();
    this.next = this.plan.arrivals.length;
  }

  private finishIfDone(): void {
    if (this.next < this.plan.arrivals.length || this.outstanding.size > 0) return;
    this.dependencies.stop.removeEventListener('abort', this.abandon);
    this.finish();
  }
}

/** A fixed number of connections. A request that finds none free waits; the oldest one gets the next. */
export class Connections {
  private readonly waiting = new Set<() => void>();

  constructor(private free: number) {}

  /** Resolves with whether the request had to wait. Rejects with the signal's reason if it is aborted first. */
  take(signal: AbortSignal): Promise<boolean> {
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve(false);
    }
    return new Promise((resolve, reject) => {
      const proceed = () => {
        signal.removeEventListener('abort', abandon);
        resolve(true);
      };
      const abandon = () => {
        this.waiting.delete(proceed);
        reject(signal.reason);
      };
      this.waiting.add(proceed);
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  release(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
