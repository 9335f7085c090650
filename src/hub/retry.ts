import { setTimeout as sleep } from 'node:timers/promises';
import { connectionCode, connectionFailure, OperatorError } from '../base/index.js';
import { oneLine } from '../engine/index.js';
import { explainStatus, type HubConnection, HubStatus, statusReason } from './connection.js';

/** Failures in a row after which a request is given up; progress starts the count again. */
export const FAILURES_MAX = 6;
const WAIT_MS_BASE = 1_000;
const WAIT_MS_MAX = 30_000;

const REASON_CHARACTERS_MAX = 200;

/** Time and chance of retries, which tests replace. */
export interface RetryTiming {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** 0 ≤ number < 1. */
  readonly random: () => number;
}

export const RETRY_TIMING: RetryTiming = {
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
  random: Math.random,
};

/** Decides after each failure of a request whether and when to try again. */
export class Retries {
  private failures = 0;

  constructor(
    private readonly what: string,
    private readonly hub: HubConnection,
    private readonly signal: AbortSignal,
    private readonly timing: RetryTiming,
    /** Called with one sentence before each wait. */
    private readonly notice: (sentence: string) => void,
  ) {}

  /** To be called when data arrived. */
  progressed(): void {
    this.failures = 0;
  }

  /**
   * Waits before the next attempt: 1 s, doubled with each failure up to 30 s, half of it random. Throws OperatorError if
   * the failure is permanent or one too many, and the signal's reason.
   */
  async afterFailure(error: unknown): Promise<void> {
    this.signal.throwIfAborted();
    if (error instanceof OperatorError) throw error;
    if (error instanceof HubStatus && !error.temporary) throw explainStatus(error, this.what, this.hub);
    if (isUnreadable(error)) throw notOfHub(this.what);
    this.failures += 1;
    const reason = error instanceof HubStatus ? statusReason(error) : networkReason(error);
    if (this.failures >= FAILURES_MAX) {
      throw new OperatorError(
        `${this.what}: ${reason}, ${this.failures} times in a row. Check the network; the same command continues where this one stopped.`,
      );
    }
    const most = Math.min(WAIT_MS_BASE * 2 ** (this.failures - 1), WAIT_MS_MAX);
    const asked = error instanceof HubStatus ? (error.retryAfterMs ?? 0) : 0;
    const ms = Math.max(asked, most / 2 + (most / 2) * this.timing.random());
    this.notice(`${this.what}: ${reason}; trying again in ${Math.ceil(ms / 1_000)} s`);
    await this.timing.wait(ms, this.signal);
  }
}

/** Runs a request until it succeeds or is given up. Rejects as `Retries.afterFailure` does. */
export async function retried<T>(retries: Retries, request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      await retries.afterFailure(error);
    }
  }
}

/** For a response that a hub would not send. */
export const notOfHub = (what: string): OperatorError =>
  new OperatorError(`${what}: the response is not that of a hub. Check HF_ENDPOINT.`);

/**
 * Whether a response was not JSON, or JSON of another shape, such as the page of a proxy. Network errors of fetch are
 * TypeErrors too, but have a cause.
 */
const isUnreadable = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined);

/** The innermost cause: fetch itself only says that it failed. */
function networkReason(error: unknown): string {
  let inner = error as { cause?: unknown; code?: string; message?: string };
  while (inner.cause instanceof Error) inner = inner.cause as typeof inner;
  // Messages may quote what was received.
  const reason = oneLine(String(inner.code ?? inner.message ?? 'unknown reason')).slice(
    0,
    REASON_CHARACTERS_MAX,
  );
  const sentence = connectionFailure(connectionCode(error))?.split('. ')[0];
  return `the connection failed (${reason}${sentence === undefined ? '' : `: ${sentence}`})`;
}
