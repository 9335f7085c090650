import type { ClientUse } from './client-use.js';
import type { Found } from './find.js';
import type { LatencySummary } from './latencies.js';
import type { Probe } from './load-probe.js';
import type { LatencyTarget } from './load-target.js';
import type { ErrorCount } from './recorder.js';

/** One measured rate. */
export interface StepResult {
  /** Mean arrivals per second. */
  readonly rate: number;
  readonly warm_up_seconds: number;
  /** Length of the measured window. */
  readonly seconds: number;
  /** `missed_target`: ended early, since too many requests were slow already. */
  readonly ended: 'complete' | 'missed_target' | 'interrupted';
  readonly answered: number;
  readonly failed: number;
  /** Rate of the responses that arrived within the window. */
  readonly answered_per_second: number;
  readonly decisions_per_second: number;
  readonly input_tokens_per_second: number;
  /** From the intended start, of requests that were answered or timed out. */
  readonly latency_ms: LatencySummary;
  readonly latency_ms_by_shape: Readonly<Record<string, LatencySummary>>;
  readonly errors: readonly ErrorCount[];
  /** Requests that found all connections busy. */
  readonly waited_for_connection: number;
  readonly client: ClientUse & { readonly dispatch_delay_ms: LatencySummary };
  /** Reasons why the client, not the server, may have limited this step. */
  readonly warnings: readonly string[];
}

/** The result of a run: what `--json` writes. */
export interface LoadResult {
  readonly url: string;
  readonly server: Probe;
  readonly client: {
    readonly machine: string;
    readonly version: string;
    /** The server is reached over the loopback interface. */
    readonly shares_machine: boolean;
  };
  readonly started_at: string;
  readonly finished_at: string;
  readonly load: {
    /** A generated shape, `mix`, or the file of the requests. */
    readonly requests: string;
    readonly seed: number;
    readonly model: string | null;
    readonly connections: number;
    readonly timeout_seconds: number;
  };
  /** In the order of measurement. */
  readonly steps: readonly StepResult[];
  readonly find: (LatencyTarget & Found) | null;
  readonly interrupted: boolean;
}
