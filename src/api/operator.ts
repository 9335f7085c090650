import type { BatchState } from './batch-states.js';

/**
 * The objects of the operator's interface; `OPERATOR_API` has the routes that send them. Amounts are decimal strings such as
 * `12.50`, in the currency of the settings; instants are ISO 8601 in UTC, such as `2026-11-21T08:00:00.000Z`; days are UTC
 * days such as `2026-11-21`. Lists are complete unless they have `more`.
 */

/** A workspace. Charges that the server has not written yet are included. */
export interface OperatorWorkspace {
  readonly id: string;
  /** For people; null: none. */
  readonly name: string | null;
  readonly created: string;
  /** When it was closed; null: it is open. */
  readonly closed: string | null;
  /** Credit granted in total. */
  readonly granted: string;
  /** Charged in total. */
  readonly charged: string;
  /** Granted minus charged: the credit that is left. Negative if more was taken back than was left. */
  readonly balance: string;
  /** The part of the balance that is set aside for requests and batch lines in progress. */
  readonly reserved: string;
  readonly charged_this_month: string;
  /** The most that may be charged in a UTC month; null: no bound. */
  readonly budget: string | null;
  /** Ids of the models that the workspace may use; null: all. */
  readonly models: readonly string[] | null;
  /** Limit of each key. */
  readonly requests_per_minute: number;
  /** Limit of each key. */
  readonly bytes_per_minute: number;
  /** Changes with everything that an administrator can change. A change that names it is refused if it is another one by then. */
  readonly version: string;
}

/** A workspace of the list. */
export interface OperatorListedWorkspace extends OperatorWorkspace {
  /** Keys that are neither revoked nor expired; none of a closed workspace. */
  readonly working_keys: number;
}

/** The use of a model by a key on a day, at all prices. */
export interface OperatorUsage {
  readonly day: string;
  /** The id of the key. */
  readonly key: string;
  readonly model: string;
  readonly kind: 'live' | 'batch';
  readonly requests: number;
  readonly input_tokens: number;
  readonly amount: string;
  /** The name of the key; null: none. */
  readonly key_name: string | null;
}

/** A key. Its token is not stored. */
export interface OperatorKey {
  readonly id: string;
  readonly workspace: string;
  /** For people; null: none. A key that replaces another one has its name. */
  readonly name: string | null;
  /**
   * `live` and `rolled` keys work; a rolled one has a successor and expires soon. `closed`: its workspace is, and it would
   * work otherwise.
   */
  readonly state: 'live' | 'rolled' | 'expired' | 'revoked' | 'closed';
  readonly created: string;
  /** The last millisecond at which the key works; null: it never expires. */
  readonly expires: string | null;
  readonly revoked: string | null;
  /** The id of the key that replaces it. */
  readonly rolled_to: string | null;
  /** The beginning of the hour of the last request with its token; null: none is known. */
  readonly last_used: string | null;
}

/** A new key, with its token. This response is the only one that has the token. */
export interface OperatorNewKey {
  readonly key: OperatorKey;
  readonly token: string;
}

export interface OperatorModel {
  readonly id: string;
  readonly description: string;
  /** A UTC day. */
  readonly release_date: string | null;
  /** Whether requests that name no model are answered by it. */
  readonly default: boolean;
  /** Other ids that the model answers for. */
  readonly answers_for: readonly string[];
  readonly reads_images: boolean;
  readonly price_class: string;
  /** Per million input tokens. */
  readonly prices: { readonly live: string; readonly batch: string };
  /** Oldest first; requests that name the model are answered by the last one. */
  readonly builds: ReadonlyArray<{
    readonly id: string;
    readonly loaded: boolean;
    /** Size of all files. */
    readonly bytes: number;
    /** The most options of a question that it can tell apart; null: it is not loaded. */
    readonly max_options: number | null;
  }>;
}

/** A wave that a lane has computed. */
export interface OperatorWave {
  /** Counts the waves of the lane, from 1. */
  readonly number: number;
  readonly tokens: number;
  /** Share of the maximum tokens of a wave, 0 to 1, with what encoding its images costs. */
  readonly fill: number;
  readonly ms: number;
}

/** An engine thread with its context. */
export interface OperatorLane {
  readonly number: number;
  /** `CPU` or the name of a GPU. */
  readonly device: string;
  readonly state: 'free' | 'busy' | 'restarting' | 'resting' | 'probing' | 'stuck' | 'closed';
  /** Plans in progress. */
  readonly plans: number;
  /** Tokens of the wave in progress, 0 if there is none, and the maximum tokens of a wave. */
  readonly wave: { readonly tokens: number; readonly max: number };
  /** Cells of the KV cache. */
  readonly cells: { readonly used: number; readonly max: number };
  /** The last waves, oldest first; at most `WAVES_KEPT`. */
  readonly waves: readonly OperatorWave[];
}

/** What the server does now. */
export interface OperatorLive {
  readonly time: string;
  readonly uptime_seconds: number;
  /** Whether requests can be answered; unlike `/ready` this does not check the disk. */
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** Decisions and submitted batches. `total`: finished since the start. The rate is of the last `window_seconds`. */
  readonly requests: { readonly total: number; readonly per_second: number };
  /** Delay of the main thread's event loop in the last `window_seconds`. */
  readonly event_loop_delay_ms: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The time since the sample before; calls within a second of each other share a sample. */
  readonly window_seconds: number;
  readonly resident_bytes: number;
  readonly devices: ReadonlyArray<{
    /** `RAM` or the name of a GPU. */
    readonly device: string;
    readonly memory: {
      readonly used_bytes: number;
      readonly free_bytes: number;
      readonly total_bytes: number;
    };
  }>;
  /** By build, in the order of the manifest. */
  readonly models: ReadonlyArray<{
    readonly id: string;
    readonly loaded: boolean;
    /** Plans that wait for a wave, by urgency. */
    readonly queue: { readonly live: number; readonly batch: number };
    readonly lanes: readonly OperatorLane[];
  }>;
  /** Batches that have not finished, by state. */
  readonly batches: Readonly<Record<string, number>>;
}

/** What the server did in the last hour. Requests are decisions and submitted batches; those of consoles and probes do not count. */
export interface OperatorHistory {
  /** Of the server. */
  readonly time: string;
  /** The time of each point of `requests` and between two of `resources`. */
  readonly step_seconds: number;
  /** Of each step with requests, oldest first. */
  readonly requests: ReadonlyArray<{
    /** When the step began. */
    readonly time: string;
    readonly requests: number;
    /** Answered with 4xx. */
    readonly refused: number;
    /** Answered with 5xx. */
    readonly failed: number;
    /** Of the answered ones, from the head of the request to its response, too large by a fifth at most; null: none was answered. */
    readonly latency_ms: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  }>;
  /** Oldest first. */
  readonly resources: ReadonlyArray<{
    readonly time: string;
    readonly resident_bytes: number;
    /** The 99th percentile since the point before. */
    readonly event_loop_delay_ms: number;
    /** Plans that wait for a wave, by urgency. */
    readonly waiting: { readonly live: number; readonly batch: number };
  }>;
  /** Those with the most requests, at most `TOP_WORKSPACES`. */
  readonly top_workspaces: ReadonlyArray<{ readonly workspace: string; readonly requests: number }>;
}

/** A batch without its contents. */
export interface OperatorBatch {
  readonly id: string;
  readonly workspace: string;
  /** The id of the key. */
  readonly key: string;
  readonly state: BatchState;
  readonly lines: number;
  readonly done: number;
  readonly failed: number;
  readonly models: readonly string[];
  readonly created: string;
  readonly started: string | null;
  readonly finished: string | null;
  /** When the lines without a result are given up. */
  readonly expires: string;
}

/** A line of the server's log of level `warn`, `error` or `fatal`. */
export interface OperatorLogLine {
  /** Counts the lines since the start, from 1. */
  readonly number: number;
  readonly time: string;
  readonly level: string;
  readonly message: string;
  /** The class of the error; null if the line is not about one. */
  readonly type: string | null;
  /** The request that failed; null if it was none. */
  readonly request_id: string | null;
  /** Why, such as the reason of a reload that was refused; null if the line does not say. */
  readonly reason: string | null;
}

/** An administrative change. */
export interface OperatorAuditEntry {
  readonly number: number;
  readonly time: string;
  /** `cli:<user of the system>`, `operator:<client address>`, `key:<key id>` of a caller, or `server`. */
  readonly actor: string;
  /** A key of `AUDIT_ACTIONS`. */
  readonly action: string;
  /** The id of the workspace that was changed, or whose key was. */
  readonly workspace: string | null;
  /** The id of the key that was changed. */
  readonly key: string | null;
  /** What has changed; null: there was none before, or there is none after. */
  readonly changes: ReadonlyArray<{
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }>;
}
