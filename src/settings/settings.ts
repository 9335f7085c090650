import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_FOLDER, usableCores } from '../base/index.js';
import { MASTER_KEY } from '../sealing/index.js';
import { checkAddress, readHost, readNetwork, readOrigin } from './hosts.js';
import { boolean, choice, databaseUrl, duration, httpUrl, integer, list, secret, text } from './kinds.js';
import { prices } from './prices.js';
import { readSettings, SettingsError, type Values } from './read-settings.js';
import { inWorkingFolder, workingFolder } from './working-folder.js';

/** The form of the token of the operator listener, as a setting and in a file. */
export const OPERATOR_TOKEN = {
  pattern: /^[\x21-\x7e]{32,256}$/,
  form: '32 to 256 printable ASCII characters without spaces',
} as const;

/** Everything an operator can set, in groups. `docs/configuration.md` is generated from this table. */
export const SETTINGS = {
  host: text({ default: '127.0.0.1', check: checkAddress, meaning: 'Address to listen on.' }),
  port: integer({ default: 8080, min: 0, max: 65_535, meaning: 'Port to listen on; 0 selects a free one.' }),
  gateway: {
    host: text({ default: '127.0.0.1', check: checkAddress, meaning: 'Address of the gateway endpoint.' }),
    port: integer({
      default: 0,
      min: 0,
      max: 65_535,
      meaning: 'Port of a second endpoint that serves one model without batches; 0: none.',
    }),
    model: text({
      default: '',
      meaning: 'The model of the gateway endpoint; a `model` in a request is ignored.',
    }),
  },
  console: {
    enabled: boolean({ default: true, meaning: 'Whether the base endpoint serves the web console.' }),
    hosts: list({
      default: [],
      entry: readHost,
      meaning: 'Names under which the web console is served, besides IP addresses and `localhost`.',
    }),
  },
  data: text({
    default: '',
    meaning:
      'Folder of the server’s data: workspaces, keys, charges, batches; if unset, `./data`, or `~/.local/state/decider/data` in the folder of a [bundle](operations.md#without-a-network).',
  }),
  store: {
    url: databaseUrl({
      default: '',
      secret: true,
      meaning:
        'PostgreSQL database that takes the place of the data folder, so that several servers can share it: `postgres://user:password@host:5432/database`. Requires `master_key`. TLS is verified in full, except on loopback and Unix sockets; `?sslmode=` selects `disable`, `require`, `verify-ca` or `verify-full`, as in PostgreSQL.',
    }),
    connections: integer({
      default: 10,
      min: 2,
      max: 200,
      meaning:
        'Maximum connections of one server to the database, besides three for notifications and administration.',
    }),
    ca: text({
      default: '',
      meaning:
        'PEM file of the certificate authority of the database; if unset, the authorities that Node trusts.',
    }),
  },
  models: text({
    default: '',
    meaning:
      'Folder of `manifest.json` and the GGUF files; if unset, `./models`, or the embedded model if that folder does not exist. In the folder of a bundle, `~/.local/state/decider/models` takes the place of `./models`.',
  }),
  master_key: secret({
    reloads: true,
    default: '',
    ...MASTER_KEY,
    meaning:
      'Key that encrypts stored batches, 64 hexadecimal digits; if unset, `master.key` in the data folder, created by the first start.',
  }),
  billing: {
    prices: prices(
      'Live and batch price per million input tokens, by price class. As a variable `<class>=<live>/<batch>`, separated by commas.',
    ),
    currency: text({ default: 'GBP', meaning: 'Currency code printed with amounts.' }),
  },
  batch: {
    enabled: boolean({ default: true, meaning: 'Whether the base endpoint offers the batch interface.' }),
    max_stored_bytes: integer({
      reloads: true,
      default: 64 * 1024 ** 3,
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      meaning:
        'Bytes of stored batches in the data file beyond which new batches are answered 503 `batch_unavailable`; see `docs/data.md`.',
    }),
    max_workspace_percent: integer({
      reloads: true,
      default: 50,
      min: 1,
      max: 100,
      meaning:
        'Percentage of `batch.max_stored_bytes` that the stored batches of one workspace may take; beyond it, its new batches are answered 503 `batch_unavailable`.',
    }),
    data_region: text({
      default: 'CANADA-1 (Canada)',
      meaning:
        'What `data_region` of a batch says. The default is the value of the hosted service and says nothing about where this server runs: set it if callers rely on it.',
    }),
  },
  tasks: {
    retention_days: integer({
      reloads: true,
      default: 30,
      min: 1,
      max: 3_650,
      meaning: 'Days after which what is kept of an answer to a task is deleted; see `docs/tasks.md`.',
    }),
    max_answers: integer({
      reloads: true,
      default: 1_000_000,
      min: 1,
      max: 1_000_000_000,
      meaning:
        'Answers that are kept of all tasks together, half of them of one workspace. Beyond it, a task keeps as many as it has, and the oldest goes.',
    }),
  },
  http: {
    transport: choice({
      choices: ['auto', 'uws', 'node'],
      default: 'auto',
      meaning:
        'The HTTP library: `node`, Node’s own, or `uws`, uWebSockets.js, which needs less processor time. `auto` selects `uws` if the installed version refuses all known attacks, which every start checks, otherwise `node`; see `docs/isolation.md`.',
    }),
    cors_origins: list({
      default: [],
      entry: readOrigin,
      meaning:
        'Origins such as `https://app.example.com` whose pages may call the API from a browser (CORS); none by default. See `docs/deployment.md`.',
    }),
    trusted_proxies: list({
      default: [],
      entry: readNetwork,
      meaning:
        'IP addresses and networks of the proxies in front, such as `10.0.0.0/8`; the log then shows the client that their `X-Forwarded-For` names.',
    }),
    allow_plain: boolean({
      default: false,
      meaning:
        'Whether to listen beyond loopback without TLS and without a trusted proxy on another machine, so that tokens cross the network unencrypted.',
    }),
    keep_alive_s: integer({
      default: 75,
      min: 1,
      max: 3_600,
      meaning:
        'Seconds that a connection without a request stays open after a response. A proxy in front must close its idle connections earlier; see `docs/deployment.md`. The transport `uws` always takes about 10.',
    }),
    drain_ms: duration({
      reloads: true,
      default: 60_000,
      min: 0,
      max: 3_600_000,
      meaning:
        'How long a stopping server waits for the requests in flight. Whatever ends the process must wait 30 seconds longer before it kills it; for systemd, print the unit again, see `docs/operations.md`.',
    }),
  },
  tls: {
    cert: text({
      default: '',
      meaning:
        'PEM file of the certificate chain; with it, the base endpoint and the gateway endpoint speak HTTPS only. A renewed file is used without a restart.',
    }),
    key: text({
      default: '',
      meaning:
        'PEM file of the certificate’s private key, without a passphrase and not accessible to all users.',
    }),
  },
  engine: {
    backend: choice({
      choices: ['auto', 'cpu', 'cuda', 'vulkan', 'metal'],
      default: 'auto',
      meaning:
        '`auto` selects the best backend that finds a device; a backend selected by name that finds none is an error.',
    }),
    devices: list({
      default: [],
      meaning:
        'Names of the GPUs to use; empty: all. Each holds all models that do not name theirs in the manifest.',
    }),
    threads: integer({
      default: 0,
      min: 0,
      max: 512,
      meaning:
        'CPU threads per context, at most the number of cores; 0: all cores but one on a CPU, 4 on a GPU.',
    }),
    exact: boolean({
      default: false,
      meaning: 'Run every request alone on an empty cache, so that the same request returns the same bytes.',
    }),
    answer_cache_mb: integer({
      reloads: true,
      default: 64,
      min: 0,
      max: 2_048,
      meaning:
        'Exact mode: mebibytes of answers kept per build of a model, so that equal requests of a workspace are computed once; 0: none. Without effect in normal mode.',
    }),
    contexts: integer({
      default: 0,
      min: 0,
      max: 8,
      meaning: 'Contexts per model and device; 0: one on a CPU, two on a GPU.',
    }),
    cells: integer({
      default: 8_192,
      min: 256,
      max: 1_048_576,
      meaning:
        'Size of the KV cache of a context, in tokens; bounds each prompt, and all prompts of a wave together.',
    }),
    wave_tokens: integer({
      default: 0,
      min: 0,
      max: 65_536,
      meaning: 'Maximum tokens per wave; 0: 512 on a CPU, 2048 on a GPU.',
    }),
    idle_cells: integer({
      default: 4_096,
      min: 0,
      max: 1_048_576,
      meaning:
        'Maximum tokens of recent states kept in the KV cache for later requests, as far as states repeat; 0 keeps none.',
    }),
    deadline_ms: duration({
      reloads: true,
      default: 60_000,
      min: 1,
      max: 3_600_000,
      meaning:
        'Time limit of a request in the engine, once for every 16 prompts of it, or part of 16 (questions, or orders of options), in exact mode once: for 33 questions 3 × 60 s, in exact mode 60 s. Beyond it the answer is 503 `overloaded`.',
    }),
    sequences: integer({
      default: 64,
      min: 2,
      max: 255,
      meaning: 'Maximum sequences of a context: one per cached state and one per question of a wave.',
    }),
    memory_check: boolean({
      default: true,
      meaning:
        'Refuse models that are estimated to need more memory than is free, or leave a GPU too little of it; see `docs/models.md`.',
    }),
    queue: integer({
      reloads: true,
      default: 1_024,
      min: 1,
      max: 65_536,
      meaning:
        'Maximum live requests waiting per build of a model; further ones are answered 503 `overloaded`.',
    }),
  },
  prepare: {
    threads: integer({
      default: 0,
      min: 0,
      max: 64,
      meaning:
        'Threads that check, render and tokenize, at most the number of cores; 0: a quarter of the cores. Bodies over 256 KiB get one more thread, and requests with images a second pool of the same size if a model reads images.',
    }),
  },
  webhook: {
    allowed_hosts: list({
      default: [],
      entry: readHost,
      meaning:
        'Hosts that webhooks may call although their addresses or names are not those of the public internet; see `docs/batches.md`.',
    }),
  },
  operator: {
    port: integer({
      default: 0,
      min: 0,
      max: 65_535,
      meaning:
        'Port of the operator listener: metrics, status, administration; 0: none. See `docs/operator.md`.',
    }),
    host: text({ default: '127.0.0.1', check: checkAddress, meaning: 'Address of the operator listener.' }),
    hosts: list({
      default: [],
      entry: readHost,
      meaning:
        'Names under which the operator’s console and interface are served, besides IP addresses and `localhost`.',
    }),
    console: boolean({
      default: true,
      meaning: 'Whether the operator listener serves the operator’s web console at `/`.',
    }),
    token: secret({
      default: '',
      ...OPERATOR_TOKEN,
      meaning:
        'Token of the operator listener, 32 to 256 characters; if unset, `operator.token` in the data folder, created by the first start that needs it.',
    }),
  },
  traces: {
    url: httpUrl({
      default: '',
      meaning:
        'Address of an OpenTelemetry collector that takes traces over OTLP/HTTP, such as `http://127.0.0.1:4318/v1/traces`; if unset, there are no traces. Requires `npm run install:traces`. See `docs/metrics.md`.',
    }),
    sample: integer({
      default: 1,
      min: 1,
      max: 1_000_000,
      meaning:
        'Record one of this many requests without `traceparent`. With it, the flag of the caller decides.',
    }),
  },
  log: {
    level: choice({
      choices: ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
      default: 'info',
      meaning: 'Minimum log level.',
      reloads: true,
    }),
    format: choice({
      choices: ['auto', 'json', 'text'],
      default: 'auto',
      meaning:
        'How lines of the log are written: `json`, `text` for people, or `auto`, text on a terminal and JSON elsewhere. See `docs/metrics.md`.',
    }),
    sample: integer({
      default: 1,
      min: 1,
      max: 1_000_000,
      meaning:
        'Log one of this many successful requests. Requests with an error are always logged; successful health checks are logged at level `debug`.',
    }),
  },
} as const;

export type Settings = Values<typeof SETTINGS>;

/** The models that come with this program: in a clone the same folder, in a package the one inside it. */
export const EMBEDDED_MODELS = join(PROGRAM_FOLDER, 'models');

/** What replaces folders that no setting names. */
interface DefaultFolders {
  /** See `workingFolder`. */
  readonly working: string | null;
  readonly models: string;
}

/** The default folders of a process, given its working folder. */
export function defaultFolders(working: string | null = workingFolder()): DefaultFolders {
  const hasModels = working !== null && existsSync(join(working, 'models'));
  return { working, models: hasModels ? inWorkingFolder('models', working) : EMBEDDED_MODELS };
}

/** Reads and checks the settings, and fills in what is derived from the machine. Throws SettingsError. */
export function loadSettings(
  environment: Readonly<Record<string, string | undefined>>,
  file: string | undefined,
  cores: number = usableCores(),
  folders: DefaultFolders = defaultFolders(),
): Settings {
  const settings = readSettings(SETTINGS, environment, file);
  const { prepare, store, master_key } = settings;
  // Servers that share a database must share the key, so none of them can generate it.
  if (store.url !== '' && master_key === '')
    throw new SettingsError(
      'store.url requires master_key: set the same key of 64 hexadecimal digits (DECIDER_MASTER_KEY) on every server.',
    );
  // More threads than cores would only slow the start down.
  const prepareThreads = Math.min(prepare.threads || Math.max(1, Math.floor(cores / 4)), cores);
  return {
    ...settings,
    data: settings.data || inWorkingFolder('data', folders.working),
    models: settings.models || folders.models,
    prepare: { ...prepare, threads: prepareThreads },
  };
}

/**
 * Returns a function that calls `loadSettings`, always with the number of cores and the default folders found when this
 * function was called. Settings that are read again then differ only if the file has changed.
 */
export function settingsReader(
  environment: Readonly<Record<string, string | undefined>>,
  file: string | undefined,
): () => Settings {
  const cores = usableCores();
  const folders = defaultFolders();
  return () => loadSettings(environment, file, cores, folders);
}
