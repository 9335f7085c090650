import { ROUTES } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { AccessEntry } from '../http/index.js';
import { shownTimes } from './shown-times.js';

/** The points that are kept, and the time of each, in milliseconds: the last hour. */
export const HISTORY_POINTS_MAX = 60;
export const HISTORY_STEP_MS = 60_000;
/** Workspaces that are counted in one point. Requests of others count in the sums only. */
export const HISTORY_WORKSPACES_MAX = 1_000;

/**
 * Upper bounds of the classes of times, in milliseconds: each is a fifth larger than the one before, from 1 ms to about 15
 * minutes. A percentile is the upper bound of its class, so it is too large by a fifth at most.
 */
const CLASSES = 76;
const GROWTH = 1.2;

/** The paths whose requests are counted: decisions and submitted batches, and neither labels nor what a console reads. */
const COUNTED: ReadonlySet<string> = new Set(
  ROUTES.filter(({ body }) => body === 'decision' || body === 'lines').map(({ path }) => path),
);

/** The requests of one step. */
export interface HistoryPoint {
  /** When the step began, in milliseconds since 1970. */
  readonly at: number;
  readonly requests: number;
  /** Those that were answered with 4xx, and with 5xx. */
  readonly refused: number;
  readonly failed: number;
  /** Of the answered ones, in milliseconds; null: none was. */
  readonly latency: Latency | null;
  /** How many requests each workspace sent. Of the step in progress, it grows with the next request. */
  readonly workspaces: ReadonlyMap<string, number>;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The sums of a step in progress or past. */
interface Step {
  /** Counts the steps of the monotonic clock. */
  readonly number: number;
  /** When it began, by the calendar of then. */
  readonly at: number;
  requests: number;
  refused: number;
  failed: number;
  readonly times: Uint32Array;
  readonly workspaces: Map<string, number>;
}

/** Counts decisions and submitted batches of the last hour, by minute. Its size is bounded. */
export class RequestHistory {
  private readonly steps: Step[] = [];
  private all = 0;

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {}

  /** Requests since the start. */
  get total(): number {
    return this.all;
  }

  count({ method, path, status, durationMs, workspace }: CountedEntry): void {
    if (method !== 'POST' || !COUNTED.has(path)) return;
    this.all += 1;
    const step = this.current();
    step.requests += 1;
    if (status >= 500) step.failed += 1;
    else if (status >= 400) step.refused += 1;
    else {
      const time = classOf(durationMs);
      step.times[time] = (step.times[time] as number) + 1;
    }
    if (workspace === undefined) return;
    const known = step.workspaces.get(workspace);
    if (known === undefined && step.workspaces.size === HISTORY_WORKSPACES_MAX) return;
    step.workspaces.set(workspace, (known ?? 0) + 1);
  }

  /** A point for each step of the last hour in which there were requests, oldest first. */
  points(): HistoryPoint[] {
    this.forget(this.number());
    const moments = this.steps.map(({ number, at }) => ({ at, monotonic: number * HISTORY_STEP_MS }));
    const shown = shownTimes(moments, this.clock);
    return this.steps.map(({ requests, refused, failed, times, workspaces }, index) => ({
      at: shown[index] as number,
      requests,
      refused,
      failed,
      latency: latencyOf(times),
      workspaces,
    }));
  }

  private number(): number {
    return Math.floor(this.clock.monotonic() / HISTORY_STEP_MS);
  }

  private current(): Step {
    const number = this.number();
    const last = this.steps.at(-1);
    if (last?.number === number) return last;
    const passed = this.clock.monotonic() - number * HISTORY_STEP_MS;
    const step: Step = {
      number,
      at: Math.round(this.clock.now() - passed),
      requests: 0,
      refused: 0,
      failed: 0,
      times: new Uint32Array(CLASSES),
      workspaces: new Map(),
    };
    this.steps.push(step);
    this.forget(number);
    return step;
  }

  private forget(number: number): void {
    while ((this.steps[0]?.number ?? number) <= number - HISTORY_POINTS_MAX) this.steps.shift();
  }
}

type CountedEntry = Pick<AccessEntry, 'method' | 'path' | 'status' | 'durationMs' | 'workspace'>;

const classOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(CLASSES - 1, Math.ceil(Math.log(ms) / Math.log(GROWTH)));

function latencyOf(times: Uint32Array): Latency | null {
  const count = times.reduce((sum, each) => sum + each, 0);
  if (count === 0) return null;
  const percentile = (share: number) => {
    let left = Math.ceil(count * share);
    const found = times.findIndex((each) => {
      left -= each;
      return left <= 0;
    });
    return Math.round(GROWTH ** found * 100) / 100;
  };
  return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}
