// A process of its own: the whole server on one transport, in front of an engine that answers at once.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { BYTES_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import { Engine } from '../../src/engine/index.js';
import type { WaveResult, WaveTask } from '../../src/engine/wave/task.js';
import { startServer } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { createLog } from '../../src/telemetry/index.js';
import { changeWorkspace, createKey, grantCredit } from '../support/access/folder-changes.js';
import { BOUNDS, COLD } from '../support/engine.js';
import { retainedBytes } from '../support/memory.js';
import { modelsFolder } from '../support/server.js';
import type { FromServer, Memory } from './messages.js';

/** Batches that a key may have open are few. */
const KEYS = 32;
const CREDIT = 10n ** 24n;
/** What this model answers takes a while, so that batches are seen while they run. */
const SLOW = 'slow';
const SLOW_WAVE_MS = 100;

const [transport, folder] = process.argv.slice(2) as [string, string];
const tell = (message: FromServer) => process.send?.(message);

/** Models beside the first, so that requests name theirs. */
function severalModels(): string {
  const models = modelsFolder(folder);
  const file = join(models, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const [first] = manifest.models;
  writeFileSync(
    file,
    JSON.stringify({ ...manifest, models: [first, { ...first, id: 'other' }, { ...first, id: SLOW }] }),
  );
  return models;
}

/** Logits that depend on the tokens alone. */
async function compute({ phases }: WaveTask): Promise<WaveResult> {
  return phases
    .flatMap(({ streams }) => streams)
    .flatMap(({ options, tokens }) =>
      options === undefined ? [] : [Float32Array.from(options, (token) => (token + tokens.length) % 7)],
    );
}

/** Bytes of pages that are no file's. */
function resident(): number {
  const file = '/proc/self/status';
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map(([, number]) =>
    Number(number),
  );
  return kilobytes.length === 0 ? process.memoryUsage.rss() : kilobytes.reduce((a, b) => a + b) * 1_024;
}

function memory(): Memory {
  const held = retainedBytes();
  return { held, resident: resident() };
}

const data = join(folder, 'data');
const settings = loadSettings(
  {
    DECIDER_PORT: '0',
    DECIDER_MODELS: severalModels(),
    DECIDER_DATA: data,
    DECIDER_HTTP_TRANSPORT: transport,
    DECIDER_ENGINE_BACKEND: 'cpu',
    DECIDER_ENGINE_THREADS: '1',
    DECIDER_PREPARE_THREADS: '1',
    DECIDER_LOG_LEVEL: 'error',
  },
  undefined,
);
const server = await startServer(settings, {
  clock: systemClock,
  log: createLog('error', { write: (line: string) => void tell({ kind: 'error', line }) }),
  report: { notice: () => {}, token: () => {}, progress: () => {} },
  stop: new AbortController().signal,
});
const engineOf = (run: typeof compute) =>
  new Engine([{ run, number: 1, ready: async () => ({ head: new Int32Array(0), images: null }) }], {
    bounds: BOUNDS,
    sharing: COLD,
    queueMax: 1_024,
    deadlineMs: 60_000,
    clock: systemClock,
  });
const slowly = async (task: WaveTask) => {
  await setTimeout(SLOW_WAVE_MS);
  return compute(task);
};
const [engine, slow] = [engineOf(compute), engineOf(slowly)];
Object.assign(server.engines, {
  get: (build: string) => (build.startsWith(SLOW) ? slow : engine),
});

const store = openStore(data);
grantCredit(store, systemClock, DEFAULT_WORKSPACE, CREDIT);
changeWorkspace(store, systemClock, DEFAULT_WORKSPACE, {
  requestsPerMinute: REQUESTS_PER_MINUTE_MAX,
  bytesPerMinute: BYTES_PER_MINUTE_MAX,
});
const tokens = Array.from({ length: KEYS }, () => createKey(store, systemClock, DEFAULT_WORKSPACE).token);
process.on('message', () => tell({ kind: 'memory', memory: memory() }));
process.on('disconnect', () => process.exit(0));
tell({ kind: 'listening', port: Number(new URL(server.url).port), tokens });
