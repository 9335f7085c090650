// The one place of this benchmark that knows how a server is put together.
import { fileURLToPath } from 'node:url';
import { createLog, systemClock } from '../../src/base/index.js';
import { type DecideCalls, decide, type PrepareResult } from '../../src/decide/index.js';
import { readRequest } from '../../src/decide/request/index.js';
import { loadAddon, type Plan } from '../../src/engine/index.js';
import { startHttp } from '../../src/http/index.js';
import { PreparePool } from '../../src/server/prepare-pool.js';
import type { TransportName } from './kinds.js';

const MODELS = fileURLToPath(new URL('../../../models/', import.meta.url));
const CELLS = 8_192;
const BUILD = 'immediate';

/** Answers at once, with logits that are all the same. */
const immediate: ReturnType<DecideCalls['engine']> = {
  run: async ({ leaves }: Plan) => ({
    logits: leaves.map((leaf) => new Float32Array(leaf.options.length)),
    queueMs: 0,
    computeMs: 0,
  }),
};

/** Everything that is done to a body before tokens are made of it, on this thread. */
async function read({ body, unknownModel }: { body: Uint8Array; unknownModel: 'refuse' | 'default' }) {
  const { questions } = readRequest(body, { knows: () => false, unknownModel });
  return {
    ok: true,
    build: BUILD,
    questions,
    plan: {
      prefix: new Int32Array(0),
      prefixKey: '',
      leaves: questions.map(({ options }) => ({
        tokens: new Int32Array(0),
        options: new Int32Array(options.length),
      })),
    },
    temperatures: questions.map(() => 1),
    inputTokens: 0,
  } satisfies PrepareResult;
}

/** Starts our server in front of an engine that answers at once. Returns its port. */
export async function listenOurs(transport: TransportName, whole: boolean): Promise<number> {
  let prepare: DecideCalls['prepare'] = read;
  if (whole) {
    loadAddon('cpu');
    const pool = new PreparePool({ backend: 'cpu', device: '', models: MODELS, cells: CELLS }, 1);
    await pool.ready();
    prepare = (task) => pool.prepare(task);
  }
  const calls: DecideCalls = { clock: systemClock, prepare, engine: () => immediate };
  const log = createLog('info');
  const { port } = await startHttp({
    transport,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    door: {
      checkReady: () => {},
      decide: ({ body, unknownModel, signal }) => decide({ body, unknownModel }, calls, signal),
      models: () => [],
    },
    onAccess: (entry) => log.info(entry, 'request'),
    onUnexpected: (error) => log.error({ err: error }),
  });
  return port;
}
