import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEFAULT_PRICES } from '../access/index.js';
import { LOG_LEVELS, readSettings, type Setting, type Values } from '../base/index.js';
import { readAllowedHosts } from '../batch/index.js';
import { BACKEND_CHOICES } from '../engine/index.js';
import { usableCores } from './cores.js';

/** Everything an operator can set. `docs/configuration.md` is generated from this table. */
export const SETTINGS = [
  {
    key: 'host',
    variable: 'DECIDER_HOST',
    kind: 'text',
    default: '127.0.0.1',
    meaning: 'Address to listen on.',
  },
  {
    key: 'port',
    variable: 'DECIDER_PORT',
    kind: 'integer',
    default: 8080,
    min: 0,
    max: 65_535,
    meaning: 'Port to listen on; 0 selects a free one.',
  },
  {
    key: 'gateway.host',
    variable: 'DECIDER_GATEWAY_HOST',
    kind: 'text',
    default: '127.0.0.1',
    meaning: 'Address of the gateway endpoint.',
  },
  {
    key: 'gateway.port',
    variable: 'DECIDER_GATEWAY_PORT',
    kind: 'integer',
    default: 0,
    min: 0,
    max: 65_535,
    meaning: 'Port of a second endpoint that serves one model without batches; 0: none.',
  },
  {
    key: 'gateway.model',
    variable: 'DECIDER_GATEWAY_MODEL',
    kind: 'text',
    default: '',
    meaning: 'The model of the gateway endpoint; a `model` in a request is ignored.',
  },
  {
    key: 'data',
    variable: 'DECIDER_DATA',
    kind: 'text',
    default: './data',
    meaning: 'Folder of the server’s data: workspaces, keys, charges, batches.',
  },
  {
    key: 'models',
    variable: 'DECIDER_MODELS',
    kind: 'text',
    default: '',
    meaning:
      'Folder of `manifest.json` and the GGUF files; empty: `./models`, or where that does not exist, the embedded model.',
  },
  {
    key: 'master_key',
    variable: 'DECIDER_MASTER_KEY',
    kind: 'text',
    default: '',
    meaning:
      'Key that encrypts stored batches, 64 hexadecimal digits; if unset, `master.key` in the data folder, created by the first start.',
  },
  {
    key: 'billing.prices',
    variable: 'DECIDER_BILLING_PRICES',
    kind: 'text',
    default: DEFAULT_PRICES,
    meaning: 'Prices per million input tokens, `<price class>=<live>/<batch>`, separated by commas.',
  },
  {
    key: 'billing.currency',
    variable: 'DECIDER_BILLING_CURRENCY',
    kind: 'text',
    default: 'GBP',
    meaning: 'Currency code printed with amounts.',
  },
  {
    key: 'batch.enabled',
    variable: 'DECIDER_BATCH_ENABLED',
    kind: 'flag',
    default: true,
    meaning: 'Whether the base endpoint offers the batch interface.',
  },
  {
    key: 'http.transport',
    variable: 'DECIDER_HTTP_TRANSPORT',
    kind: 'choice',
    choices: ['auto', 'uws', 'node'],
    default: 'auto',
    meaning:
      '`auto` is `node`. `uws` needs less processor time but is unsafe behind a proxy that shares connections between callers; see `docs/isolation.md`.',
  },
  {
    key: 'engine.backend',
    variable: 'DECIDER_ENGINE_BACKEND',
    kind: 'choice',
    choices: BACKEND_CHOICES,
    default: 'auto',
    meaning:
      '`auto` selects the best backend that finds a device; a backend selected by name that finds none is an error.',
  },
  {
    key: 'engine.devices',
    variable: 'DECIDER_ENGINE_DEVICES',
    kind: 'text',
    default: '',
    meaning: 'Names of the GPUs to use, separated by commas; empty: all. Each holds all models.',
  },
  {
    key: 'engine.threads',
    variable: 'DECIDER_ENGINE_THREADS',
    kind: 'integer',
    default: 0,
    min: 0,
    max: 512,
    meaning: 'CPU threads per context, at most the number of cores; 0: all cores but one.',
  },
  {
    key: 'engine.exact',
    variable: 'DECIDER_ENGINE_EXACT',
    kind: 'flag',
    default: false,
    meaning: 'Run every request alone on an empty cache, so that the same request returns the same bytes.',
  },
  {
    key: 'engine.contexts',
    variable: 'DECIDER_ENGINE_CONTEXTS',
    kind: 'integer',
    default: 0,
    min: 0,
    max: 8,
    meaning: 'Contexts per model and device; 0: one on a CPU, two on a GPU.',
  },
  {
    key: 'engine.cells',
    variable: 'DECIDER_ENGINE_CELLS',
    kind: 'integer',
    default: 8_192,
    min: 256,
    max: 1_048_576,
    meaning:
      'Size of the KV cache of a context, in tokens; bounds each prompt, and all prompts of a wave together.',
  },
  {
    key: 'engine.wave_tokens',
    variable: 'DECIDER_ENGINE_WAVE_TOKENS',
    kind: 'integer',
    default: 0,
    min: 0,
    max: 65_536,
    meaning: 'Maximum tokens per wave; 0: 512 on a CPU, 2048 on a GPU.',
  },
  {
    key: 'engine.idle_cells',
    variable: 'DECIDER_ENGINE_IDLE_CELLS',
    kind: 'integer',
    default: 4_096,
    min: 0,
    max: 1_048_576,
    meaning: 'Maximum tokens of recent states kept in the KV cache for later requests; 0 keeps none.',
  },
  {
    key: 'engine.deadline_ms',
    variable: 'DECIDER_ENGINE_DEADLINE_MS',
    kind: 'integer',
    default: 60_000,
    min: 1,
    max: 3_600_000,
    meaning:
      'Time limit of a request in the engine, in milliseconds; beyond it the answer is 503 `overloaded`.',
  },
  {
    key: 'engine.sequences',
    variable: 'DECIDER_ENGINE_SEQUENCES',
    kind: 'integer',
    default: 64,
    min: 2,
    max: 255,
    meaning: 'Maximum sequences of a context: one per cached state and one per question of a wave.',
  },
  {
    key: 'engine.queue',
    variable: 'DECIDER_ENGINE_QUEUE',
    kind: 'integer',
    default: 1_024,
    min: 1,
    max: 65_536,
    meaning: 'Maximum requests waiting per model; further ones are answered 503 `overloaded`.',
  },
  {
    key: 'prepare.threads',
    variable: 'DECIDER_PREPARE_THREADS',
    kind: 'integer',
    default: 0,
    min: 0,
    max: 64,
    meaning:
      'Threads that check, render and tokenize, at most the number of cores; 0: a quarter of the cores. Bodies over 256 KiB get one more thread, and requests with images a second pool of the same size if a model reads images.',
  },
  {
    key: 'webhook.allowed_hosts',
    variable: 'DECIDER_WEBHOOK_ALLOWED_HOSTS',
    kind: 'text',
    default: '',
    meaning: 'Hosts outside the public internet that webhooks may call, separated by commas.',
  },
  {
    key: 'metrics.port',
    variable: 'DECIDER_METRICS_PORT',
    kind: 'integer',
    default: 0,
    min: 0,
    max: 65_535,
    meaning: 'Port of `GET /metrics`, for Prometheus; 0: none.',
  },
  {
    key: 'metrics.host',
    variable: 'DECIDER_METRICS_HOST',
    kind: 'text',
    default: '127.0.0.1',
    meaning: 'Address of the metrics listener, which has no authentication.',
  },
  {
    key: 'log.level',
    variable: 'DECIDER_LOG_LEVEL',
    kind: 'choice',
    choices: LOG_LEVELS,
    default: 'info',
    meaning: 'Minimum log level.',
  },
] as const satisfies readonly Setting[];

/** The folder of the embedded model, which comes with this program. */
const EMBEDDED_MODELS = fileURLToPath(new URL('../../../models', import.meta.url));

export type Settings = Values<typeof SETTINGS>;

/** Reads and checks the settings, and fills in what is derived from the machine. Throws SettingsError. */
export function loadSettings(
  environment: Readonly<Record<string, string | undefined>>,
  file: string | undefined,
  cores: number = usableCores(),
): Settings {
  const settings = readSettings(SETTINGS, environment, file);
  readAllowedHosts(settings['webhook.allowed_hosts']);
  return {
    ...settings,
    models: settings.models || (existsSync('models') ? './models' : EMBEDDED_MODELS),
    // ggml's threads wait for each other in a loop: one core too few costs more than one too many gives.
    'engine.threads': settings['engine.threads'] || Math.max(1, cores - 1),
    // More than there are cores would only take longer to start.
    'prepare.threads': Math.min(settings['prepare.threads'] || Math.max(1, Math.floor(cores / 4)), cores),
  };
}
