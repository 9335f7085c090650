import { Latencies, type LatencySummary } from './latencies.js';
import type { Outcome } from './load-types.js';

/** A kind of failure and how often it happened. */
export interface ErrorCount {
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  readonly type: string;
  readonly count: number;
}

/** The failure of a request that was not answered in time. */
export const TIMEOUT = { answered: false, status: null, type: 'timeout' } as const;
/** The failure of a request that was not sent because too many others were outstanding. */
export const NOT_SENT = { answered: false, status: null, type: 'not_sent' } as const;

/** Kinds of failures that are counted separately; a server could invent a type per response. */
const KINDS_MAX = 50;
const OTHER = { status: null, type: 'other' } as const;

/** What happened to the requests whose intended start lies in the measured window. */
export class Recorder {
  readonly latencies = new Latencies();
  /** Delays of the client: from the intended start until a request was dispatched. */
  readonly dispatchDelays = new Latencies();
  private readonly byShape = new Map<string, Latencies>();
  private readonly failures = new Map<string, ErrorCount>();
  private windowEnd: number;
  answered = 0;
  failed = 0;
  /** Requests that found all connections busy. */
  waited = 0;
  /** Requests that missed the target: failed, or slower. */
  missed = 0;
  /** Responses that arrived within the window, whenever their requests started. */
  readonly completed = { requests: 0, decisions: 0, inputTokens: 0 };

  /**
   * @param window start and end in milliseconds; requests that start outside it are not recorded
   * @param targetMs the longest latency that meets the target
   */
  constructor(
    private readonly window: { readonly start: number; readonly end: number },
    private readonly targetMs = Number.POSITIVE_INFINITY,
  ) {
    this.windowEnd = window.end;
  }

  records(start: number): boolean {
    return start >= this.window.start && start < this.windowEnd;
  }

  /** Ends the window before its time, because no more requests are sent. */
  close(now: number): void {
    this.windowEnd = Math.max(this.window.start, Math.min(this.windowEnd, now));
  }

  /** Length of the window. */
  get seconds(): number {
    return (this.windowEnd - this.window.start) / 1_000;
  }

  dispatched(start: number, now: number): void {
    if (this.records(start)) this.dispatchDelays.record(now - start);
  }

  waitedForConnection(start: number): void {
    if (this.records(start)) this.waited += 1;
  }

  /** `start`: the intended start, from which the latency is measured, in milliseconds like `now`. */
  ended(shape: string, start: number, now: number, outcome: Outcome): void {
    if (outcome.answered && this.records(now)) {
      this.completed.requests += 1;
      this.completed.decisions += outcome.decisions;
      this.completed.inputTokens += outcome.inputTokens;
    }
    if (!this.records(start)) return;
    const latency = now - start;
    if (!outcome.answered || latency > this.targetMs) this.missed += 1;
    if (outcome.answered) this.answered += 1;
    else this.fail(outcome);
    // A request that timed out took at least as long; without it, the slowest ones would be missing.
    if (!outcome.answered && outcome !== TIMEOUT) return;
    this.latencies.record(latency);
    const ofShape = this.byShape.get(shape) ?? new Latencies();
    this.byShape.set(shape, ofShape);
    ofShape.record(latency);
  }

  /** Failures, the most frequent first. */
  errors(): ErrorCount[] {
    return [...this.failures.values()].sort((one, other) => other.count - one.count);
  }

  shapes(): Record<string, LatencySummary> {
    return Object.fromEntries([...this.byShape].map(([shape, latencies]) => [shape, latencies.summary()]));
  }

  private fail(outcome: Extract<Outcome, { answered: false }>): void {
    this.failed += 1;
    const known = (kind: { status: number | null; type: string }) => `${kind.status} ${kind.type}`;
    const room = this.failures.size < KINDS_MAX || this.failures.has(known(outcome));
    const { status, type } = room ? outcome : OTHER;
    const count = (this.failures.get(known({ status, type }))?.count ?? 0) + 1;
    this.failures.set(known({ status, type }), { status, type, count });
  }
}
