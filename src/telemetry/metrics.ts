import { Counter, Gauge, Histogram, Registry } from './prometheus.js';

/** A row of the table. Labels never hold callers' data. */
interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds; for histograms only. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const FILLS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const TOKENS = [16, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 65_536];

/** All metrics of the server. `docs/metrics.md` is generated from this table. */
export const METRICS = {
  requests: {
    name: 'decider_requests_total',
    kind: 'counter',
    help: 'Requests by route, status and the build that answered; 499 if the client disconnected before the response.',
    labels: ['route', 'status', 'model'],
  },
  requestSeconds: {
    name: 'decider_request_seconds',
    kind: 'histogram',
    help: 'Time of a whole request, from the end of its head to its response, by route and the build that answered.',
    labels: ['route', 'model'],
    buckets: SECONDS,
  },
  seconds: {
    name: 'decider_decision_seconds',
    kind: 'histogram',
    help: 'Time of answered live decisions by phase: `prepare`, `queue` or `engine`.',
    labels: ['phase'],
    buckets: SECONDS,
  },
  inputTokens: {
    name: 'decider_input_tokens_total',
    kind: 'counter',
    help: 'Input tokens of answered decisions, batch lines and labelled states, as reported in `usage`.',
    labels: ['model'],
  },
  answers: {
    name: 'decider_answers_total',
    kind: 'counter',
    help: 'Questions answered, including those of batch lines and of labelled states.',
    labels: ['model'],
  },
  promptTexts: {
    name: 'decider_prompt_texts_total',
    kind: 'counter',
    help: 'Texts of prompts by whether a preparing thread had their tokens in its cache (`hit`) or tokenized them (`miss`).',
    labels: ['outcome'],
  },
  waveTokens: {
    name: 'decider_wave_tokens',
    kind: 'histogram',
    help: 'Tokens computed per wave; its count is the number of waves.',
    labels: ['model'],
    buckets: TOKENS,
  },
  waveSeconds: {
    name: 'decider_wave_seconds',
    kind: 'histogram',
    help: 'Time of a computed wave, by lane.',
    labels: ['model', 'lane'],
    buckets: SECONDS,
  },
  waveFill: {
    name: 'decider_wave_fill',
    kind: 'histogram',
    help: 'Share of the maximum tokens of a wave that was used, 0 to 1, by lane.',
    labels: ['model', 'lane'],
    buckets: FILLS,
  },
  prefixes: {
    name: 'decider_prefixes_total',
    kind: 'counter',
    help: 'Prefixes of plans: `hit` if in the KV cache or computed for another plan, otherwise `miss`.',
    labels: ['model', 'outcome'],
  },
  answersShared: {
    name: 'decider_shared_answers_total',
    kind: 'counter',
    help: 'In exact mode, plans by whether they got the answer of an equal plan (`hit`) or were computed (`miss`); none with `engine.answer_cache_mb` 0.',
    labels: ['model', 'outcome'],
  },
  answerBytes: {
    name: 'decider_answer_cache_bytes',
    kind: 'gauge',
    help: 'Memory of the answers in the cache of exact mode.',
    labels: ['model'],
  },
  answersEvicted: {
    name: 'decider_answer_cache_evictions_total',
    kind: 'counter',
    help: 'Answers removed from the cache of exact mode to make room.',
    labels: ['model'],
  },
  waiting: {
    name: 'decider_plans_waiting',
    kind: 'gauge',
    help: 'Plans waiting for a wave, by urgency: `live` or `batch`.',
    labels: ['model', 'urgency'],
  },
  plansRefused: {
    name: 'decider_plans_refused_total',
    kind: 'counter',
    help: 'Plans refused because the queue was full.',
    labels: ['model'],
  },
  plansCancelled: {
    name: 'decider_plans_cancelled_total',
    kind: 'counter',
    help: 'Plans removed from the queue because the client disconnected; they are not charged.',
    labels: ['model'],
  },
  plansLate: {
    name: 'decider_plans_late_total',
    kind: 'counter',
    help: 'Plans abandoned because their deadline passed.',
    labels: ['model'],
  },
  wavesLost: {
    name: 'decider_waves_lost_total',
    kind: 'counter',
    help: 'Waves that failed or whose thread died; their plans run again once.',
    labels: ['model'],
  },
  lanes: {
    name: 'decider_lanes',
    kind: 'gauge',
    help: 'Engine threads, by state: `working`, or `failed` while they take no waves.',
    labels: ['model', 'state'],
  },
  laneState: {
    name: 'decider_lane_state',
    kind: 'gauge',
    help: '1 for the state that a lane is in, 0 for the others: `free`, `busy`, `restarting`, `resting`, `probing`, `stuck`, `closed`.',
    labels: ['model', 'lane', 'state'],
  },
  taskAnswers: {
    name: 'decider_task_answers_total',
    kind: 'counter',
    help: 'Answers to tasks by what became of their numbers: `kept`, or `dropped`: there was no room, or the task was deleted.',
    labels: ['outcome'],
  },
  taskShadows: {
    name: 'decider_task_shadows_total',
    kind: 'counter',
    help: 'Requests to tasks that were drawn for the shadow build: `started`, `counted` with both answers, `failed` on the shadow build, or `dropped` where the engines were busy, there was no room, or the models changed.',
    labels: ['event'],
  },
  taskAlarms: {
    name: 'decider_task_alarms',
    kind: 'gauge',
    help: 'Tasks with a raised alarm, of those that this server has answered, labelled or shown since its start: `drift`, or `error` if the error among accepted answers is above the target.',
    labels: ['alarm'],
  },
  batchLines: {
    name: 'decider_batch_lines_total',
    kind: 'counter',
    help: 'Batch lines with a result of this server: `answered`, or `failed` if refused or abandoned.',
    labels: ['outcome'],
  },
  batchesOpen: {
    name: 'decider_batches_open',
    kind: 'gauge',
    help: 'Batches that have not finished, including cancelled ones with lines in progress. With a database, those of all nodes.',
    labels: [],
  },
  webhookAttempts: {
    name: 'decider_webhook_attempts_total',
    kind: 'counter',
    help: 'Calls of webhooks by outcome: `delivered`, or `failed`, which includes calls that are tried again.',
    labels: ['outcome'],
  },
  webhookFailures: {
    name: 'decider_webhook_failures_total',
    kind: 'counter',
    help: 'Failed calls of webhooks by reason, as the field `webhook_delivery` of a batch has it; `status`: any status but 2xx.',
    labels: ['reason'],
  },
  storeBytes: {
    name: 'decider_store_bytes',
    kind: 'gauge',
    help: 'Size of the data file.',
    labels: [],
  },
  diskFree: {
    name: 'decider_store_disk_free_bytes',
    kind: 'gauge',
    help: 'Bytes free on the disk of the data folder; `+Inf` if the file system does not report it.',
    labels: [],
  },
  commitSeconds: {
    name: 'decider_store_commit_seconds',
    kind: 'histogram',
    help: 'Time of a commit to the data folder, failed ones included.',
    labels: [],
    buckets: SECONDS,
  },
  commitsFailed: {
    name: 'decider_store_commits_failed_total',
    kind: 'counter',
    help: 'Commits that the disk refused; their writes are tried again.',
    labels: [],
  },
  databaseConnections: {
    name: 'decider_database_connections',
    kind: 'gauge',
    help: 'Connections to the database of `store.url`, without those for heartbeats and notifications: `open`, and those of them `used`.',
    labels: ['state'],
  },
  databaseStatements: {
    name: 'decider_database_statements_total',
    kind: 'counter',
    help: 'Statements sent to the database of `store.url`, without those for heartbeats, by their name.',
    labels: ['statement'],
  },
  sessionFailures: {
    name: 'decider_session_failures_total',
    kind: 'counter',
    help: 'Sessions in the database of `store.url` that this server ended because what it held contradicted the database or could not be written.',
    labels: [],
  },
  databaseClockJump: {
    name: 'decider_database_clock_jump_seconds',
    kind: 'gauge',
    help: 'How far the clock of the database of `store.url` has jumped, while the cluster does not follow it; 0: it has not.',
    labels: [],
  },
  databaseClockAhead: {
    name: 'decider_host_clock_ahead_seconds',
    kind: 'gauge',
    help: 'How far the clock of this host is ahead of the time of the cluster of `store.url`; 0 without a database.',
    labels: [],
  },
  nodes: {
    name: 'decider_nodes',
    kind: 'gauge',
    help: 'Servers that share the database of `store.url`, this one included; 0 without a database.',
    labels: [],
  },
  deviceMemory: {
    name: 'decider_device_memory_bytes',
    kind: 'gauge',
    help: 'Memory by state, `used` or `free`, of `RAM` (what a container may use) and of each GPU in use.',
    labels: ['device', 'state'],
  },
  processMemory: {
    name: 'decider_process_memory_bytes',
    kind: 'gauge',
    help: 'Memory of the process: `resident`, `heap` (JavaScript of the main thread) or `external` (its buffers).',
    labels: ['kind'],
  },
  loopDelay: {
    name: 'decider_event_loop_delay_seconds',
    kind: 'gauge',
    help: 'Delay of the main thread’s event loop since the last scrape: percentiles 50, 99 and 100.',
    labels: ['percentile'],
  },
  logLinesDropped: {
    name: 'decider_log_lines_dropped_total',
    kind: 'counter',
    help: 'Log lines dropped because standard error was not read.',
    labels: [],
  },
  spans: {
    name: 'decider_spans_total',
    kind: 'counter',
    help: 'Spans of traces by outcome: `exported`, `failed` if the collector did not take them, or `dropped` because too many waited; none without `traces.url`.',
    labels: ['outcome'],
  },
  threadsReplaced: {
    name: 'decider_threads_replaced_total',
    kind: 'counter',
    help: 'Threads that died and were replaced, by kind: `engine` or `prepare`.',
    labels: ['thread'],
  },
  ready: {
    name: 'decider_ready',
    kind: 'gauge',
    help: '1 if the models are loaded and each has a lane that works, and charges can be written, otherwise 0; `/ready` also writes to the disk.',
    labels: [],
  },
  startTime: {
    name: 'decider_start_time_seconds',
    kind: 'gauge',
    help: 'When the server started, in seconds since 1970.',
    labels: [],
  },
  info: {
    name: 'decider_info',
    kind: 'gauge',
    help: 'Always 1.',
    labels: ['version', 'backend'],
  },
} as const satisfies Record<string, Metric>;

type Table = typeof METRICS;
type LabelOf<Row extends Metric> = Row['labels'][number];
type InstrumentOf<Row extends Metric> = {
  readonly counter: Counter<LabelOf<Row>>;
  readonly gauge: Gauge<LabelOf<Row>>;
  readonly histogram: Histogram<LabelOf<Row>>;
}[Row['kind']];

/** An instrument per row of the table. */
type Instruments = { readonly [Key in keyof Table]: InstrumentOf<Table[Key]> };

/** The metrics of one server. */
export class Metrics {
  readonly instruments: Instruments;
  private readonly registry = new Registry();
  private readonly readings: Array<() => void> = [];

  constructor() {
    const made = Object.entries<Metric>(METRICS).map(([key, row]) => [key, this.make(row)]);
    this.instruments = Object.fromEntries(made) as Instruments;
  }

  /** Counts what an answered request, or a line of a batch, has used. */
  countUsage(model: string, used: { readonly inputTokens: number; readonly outputTokens: number }): void {
    this.instruments.inputTokens.inc({ model }, used.inputTokens);
    this.instruments.answers.inc({ model }, used.outputTokens);
  }

  /** `read` is called before every scrape, to set the gauges. */
  beforeScrape(read: () => void): void {
    this.readings.push(read);
  }

  /** All metrics in the Prometheus text format 0.0.4. */
  async scrape(): Promise<string> {
    for (const read of this.readings) read();
    return this.registry.metrics();
  }

  /** Removes the series of a model that is no longer loaded, which would otherwise stay until the process ends. */
  async forget({ model }: { readonly model: string }): Promise<void> {
    for (const instrument of Object.values(this.instruments) as Instruments[keyof Table][]) {
      const { values } = await instrument.get();
      for (const { labels } of values) {
        // The values of a histogram have a label of their own.
        const { le: _, ...own } = labels as Record<string, string>;
        if (own.model === model) (instrument as Gauge).remove(own);
      }
    }
  }

  private make({ name, kind, help, labels, buckets = [] }: Metric) {
    const common = { name, help, labelNames: [...labels], registers: [this.registry] };
    if (kind === 'counter') return new Counter(common);
    if (kind === 'gauge') return new Gauge(common);
    return new Histogram({ ...common, buckets: [...buckets] });
  }
}
