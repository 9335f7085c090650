// The only module of this benchmark that depends on the composition of a server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_WORKSPACE, dayOf, parseAmount, type Reservation } from '../../src/access/index.js';
import { BYTES_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import { NO_DIAGNOSTICS } from '../../src/decide/diagnostics.js';
import {
  type DecideDependencies,
  decide,
  type PrepareResult,
  type SentRequest,
} from '../../src/decide/index.js';
import { openBody } from '../../src/decide/request/open-body.js';
import { readRequest } from '../../src/decide/request/read-request.js';
import { Catalog, loadAddon, type Plan, readManifest, spaceJoiners } from '../../src/engine/index.js';
import { startHttp } from '../../src/http/index.js';
import { PreparePool } from '../../src/server/prepare-pool.js';
import { requestLog } from '../../src/server/request-log.js';
import { requestMetrics } from '../../src/server/request-metrics.js';
import { openStore } from '../../src/storage/folder/index.js';
import { FolderAccess } from '../../src/storage/folder/ledger/folder-access.js';
import { createErrorLog, Metrics } from '../../src/telemetry/index.js';
import {
  changeWorkspace,
  createKey,
  createWorkspace,
  grantCredit,
} from '../../test/support/access/folder-changes.js';
import type { Kind, Listening, Preparing, TransportName } from './kinds.js';

const MODELS = fileURLToPath(new URL('../../../models/', import.meta.url));
const CELLS = 8_192;
const BUILD = 'immediate';

/** Answers at once, with equal logits. */
const immediate: ReturnType<DecideDependencies['engine']> = {
  run: async ({ suffixes }: Plan) => ({
    logits: suffixes.map((suffix) => new Float32Array(suffix.options.length)),
    queueMs: 0,
    computeMs: 0,
    isShared: false,
    cachedTokens: 0,
  }),
};

/** All processing of a body before tokenizing, on this thread. */
async function read({ body, format }: SentRequest) {
  const { questions } = readRequest(openBody(body), {
    ignoresModel: false,
    knows: () => false,
    allows: () => true,
    format: format === 'systemone' ? format : 'decide',
  });
  return {
    ok: true,
    build: BUILD,
    questions,
    plan: {
      prefix: new Int32Array(0),
      prefixKey: '',
      images: [],
      suffixes: questions.map(({ options }) => ({
        tokens: new Int32Array(0),
        options: new Int32Array(options.length),
      })),
    },
    calibration: '',
    temperatures: questions.map(() => 1),
    orders: questions.map(() => 1),
    diagnostics: NO_DIAGNOSTICS,
    texts: { hits: 0, misses: 0 },
    inputTokens: 100,
  } satisfies PrepareResult;
}

const FREE: Reservation = { post() {}, release() {} };
/** Accepts every request, and charges nothing. */
const OPEN_ACCESS = {
  token: '',
  authorize: () => ({ keyId: '', keyExpires: '', admit: () => {}, reserve: () => FREE, models: null }),
};

/** Keys and ledger in a data folder on disk, as in the server. */
function openKeys() {
  const folder = mkdtempSync(join(tmpdir(), 'decider-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const store = openStore(folder);
  createWorkspace(store, systemClock, DEFAULT_WORKSPACE);
  grantCredit(store, systemClock, DEFAULT_WORKSPACE, parseAmount('1000000') as bigint);
  changeWorkspace(store, systemClock, DEFAULT_WORKSPACE, {
    requestsPerMinute: REQUESTS_PER_MINUTE_MAX,
    bytesPerMinute: BYTES_PER_MINUTE_MAX,
  });
  const { token } = createKey(store, systemClock, DEFAULT_WORKSPACE);
  const access = new FolderAccess(store, systemClock, (error) => console.error(error));
  const price = 1_500n;
  const authorize = (headers: readonly string[]) => {
    const caller = access.authenticate(headers);
    return {
      keyId: caller.key.id,
      keyExpires: dayOf(caller.key.expires ?? 0),
      admit: (bytes: number) => access.admit(caller, bytes),
      reserve: (model: string, inputTokens: number) =>
        access.reserve(caller, { model, kind: 'live', inputTokens, price }),
      models: caller.workspace.models,
    };
  };
  return { token, authorize };
}

/**
 * Starts the server with an engine that answers at once.
 *
 * @param countKnown called with the texts of each request whose tokens were in the cache
 */
export async function listenOurs(
  transport: TransportName,
  kind: Exclude<Kind, 'bare'>,
  { models, cacheBytes }: Preparing = { models: MODELS, cacheBytes: 0 },
  countKnown: (texts: number) => void = () => {},
): Promise<Listening> {
  let prepare: DecideDependencies['prepare'] = read;
  if (kind === 'whole') {
    loadAddon('cpu');
    const manifest = await readManifest(models);
    const { builds } = new Catalog(manifest, models);
    const pool = new PreparePool(
      {
        backend: 'cpu',
        device: '',
        manifest,
        models,
        images: new Map(),
        verified: new Map(),
        joiners: new Map(builds.map(({ id, path }) => [id, spaceJoiners(path)])),
        cells: CELLS,
        tokenCacheBytes: cacheBytes,
      },
      { threads: 1, readsImages: false, onTexts: ({ hits }) => countKnown(hits) },
    );
    await pool.ready();
    prepare = (task) => pool.prepare(task, { workspace: 'default', key: 'key' });
  }
  const { token, authorize } = kind === 'open' ? OPEN_ACCESS : openKeys();
  const logRequest = requestLog(createErrorLog('info').log, 1);
  const metrics = new Metrics();
  const measure = requestMetrics(metrics);
  const { port } = await startHttp({
    transport,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    app: {
      checkReady: () => {},
      authorize: (headers) => {
        const { keyId, keyExpires, admit, reserve, models } = authorize(headers);
        const calls: DecideDependencies = { clock: systemClock, prepare, engine: () => immediate, reserve };
        return {
          keyId,
          workspaceId: '',
          keyExpires,
          admit,
          admitFree: () => {},
          rates: () => ({ limit: { requests: 1, bytes: 1 }, left: { requests: 1, bytes: 1 }, resetMs: 0 }),
          limits: () => ({}),
          usage: async () => ({}),
          get tasks(): never {
            throw new Error('the benchmark has no tasks');
          },
          batches: null,
          allowedModels: models,
          decide: (request, signal) => decide(request, calls, { signal, workspace: DEFAULT_WORKSPACE }),
        };
      },
      serves: () => false,
      models: () => [],
    },
    onAccess: (entry) => {
      measure(entry);
      logRequest(entry);
    },
    onUnexpected: (error) => console.error(error),
  });
  return { port, token };
}
