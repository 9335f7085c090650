import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Administration } from '../../../src/access/index.js';
import { CHANGES } from '../../../src/access/index.js';
import { DatabaseAdministration, statement } from '../../../src/storage/database/index.js';
import { FolderAdministration, openStore, type Store } from '../../../src/storage/folder/index.js';
import { selfSigned } from '../certificate.js';
import { EngineGate } from '../engine-gate.js';
import { freePort } from '../free-port.js';
import { RawClient, type RawResponse } from '../http/raw-client.js';
import { type MovableClock, movableClock } from '../movable-clock.js';
import { onDatabase } from '../node-server.js';
import { newDatabase } from '../postgres.js';
import { dataFolder, modelsFolder, startTestServer } from '../server.js';

/** An answer, its body read. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
  readonly json: any;
}

export interface Sending {
  readonly path?: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** The service as a client sees it, and what its operator does beside it. */
export interface Service {
  readonly url: string;
  /** The second endpoint, which serves `decider-g-31b` alone. */
  readonly gateway: string;
  /** Of a key with credit. */
  readonly token: string;
  readonly data: string;
  readonly store: Store;
  readonly place: Place;
  /** What it changes counts for the next request. */
  readonly administration: Administration;
  readonly transport: string;
  /** The folder of its models. */
  readonly models: string;
  /** The server's time. Tests of live decisions come before those that move it. */
  readonly clock: MovableClock;
  /** Between its batches and its engines. */
  readonly engine: EngineGate;
  /** Of a receiver of webhooks that it trusts. */
  readonly certificate: ReturnType<typeof selfSigned>;
  /** What it has logged, one JSON line each. */
  readonly lines: readonly string[];
  /** Sends a body: bytes and texts as they are, anything else as JSON. A path may be a whole address. */
  post(body: unknown, sending?: Sending): Promise<Reply>;
  get(path: string, sending?: Sending): Promise<Reply>;
  /** Sends bytes over a connection of their own. */
  raw(bytes: string): Promise<RawResponse>;
  /** Whether every batch has finished. */
  allFinished(): Promise<boolean>;
  /** A key of a new workspace, with credit for so many input tokens. */
  account(
    id: string,
    tokens?: number,
    model?: keyof typeof PRICES,
  ): Promise<{ workspace: string; token: string; key: string }>;
}

/** Contract 8: what an input token costs, in 10⁻¹² pounds. */
export const PRICES = { 'decider-g-12b': 1_500n, 'decider-g-31b': 5_000n } as const;
/** What the states of these tests need, where 20,000 characters of them are read. */
const CELLS = '32768';

export const BUILDS = {
  'decider-g-12b': 'decider-g-12b-20260101',
  'decider-g-31b': 'decider-g-31b-20260201',
} as const;

/** The only host, of those that are not public, which its webhooks may call. */
export const RECEIVER_HOST = 'localhost';

export async function startService(t: Test, transport: string, place: Place = 'folder'): Promise<Service> {
  const data = dataFolder(t);
  const clock = movableClock();
  const database = place === 'database' ? await newDatabase(t) : null;
  const operatorPort = await freePort();
  const certificate = selfSigned(RECEIVER_HOST);
  const port = await freePort();
  const models = twoModels(t.testdir());
  const { url, headers, lines, engines } = await startTestServer(
    t,
    {
      DECIDER_DATA: data,
      DECIDER_HTTP_TRANSPORT: transport,
      DECIDER_GATEWAY_PORT: String(port),
      DECIDER_GATEWAY_MODEL: 'decider-g-31b',
      DECIDER_ENGINE_EXACT: 'true',
      DECIDER_ENGINE_CELLS: CELLS,
      DECIDER_WEBHOOK_ALLOWED_HOSTS: RECEIVER_HOST,
      ...(database !== null && {
        ...onDatabase(database.url),
        DECIDER_OPERATOR_PORT: String(operatorPort),
        DECIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
      }),
    },
    models,
    { clock, authorities: certificate.cert },
  );
  const store = database === null ? openStore(data) : NO_STORE;
  const administration =
    database === null
      ? new FolderAdministration(store, clock)
      : seenBy(`http://127.0.0.1:${operatorPort}`, new DatabaseAdministration(database.database, 'test'));
  const token = headers.authorization.replace('Bearer ', '');
  const send = async (path: string, init: RequestInit, sending: Sending): Promise<Reply> => {
    const given = sending.token === undefined ? token : sending.token;
    const own = given === null ? {} : { authorization: `Bearer ${given}` };
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      method: sending.method ?? 'GET',
      ...init,
      headers: { ...own, 'content-type': 'application/json', ...sending.headers },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
  return {
    url,
    gateway: `http://127.0.0.1:${port}`,
    token,
    data,
    store,
    place,
    administration,
    transport,
    models,
    clock,
    engine: new EngineGate(engines),
    certificate,
    lines,
    post(body, sending = {}) {
      const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
      return send(sending.path ?? '/v1/decide', { method: sending.method ?? 'POST', body: bytes }, sending);
    },
    get: (path, sending = {}) => send(path, {}, sending),
    async raw(bytes) {
      const client = await RawClient.connect(Number(new URL(url).port));
      await client.send(bytes);
      const response = await client.response();
      client.destroy();
      return response;
    },
    async allFinished() {
      if (database === null) {
        return [...store.table('batches').entries()].every(({ value }) => value.finished !== null);
      }
      return (await database.database.query(UNFINISHED)).length === 0;
    },
    async account(id, tokens = 1_000_000, model = 'decider-g-12b') {
      await administration.change(CHANGES.createWorkspace(id));
      if (tokens > 0) await administration.change(CHANGES.grantCredit(id, BigInt(tokens) * PRICES[model]));
      const { key, token: made } = await administration.change(CHANGES.createKey(id));
      return { workspace: id, token: made, key: key.id };
    },
  };
}

/** Where a service keeps its data. */
export type Place = 'folder' | 'database';

const UNFINISHED = statement('unfinished', 'SELECT FROM batches WHERE finished IS NULL LIMIT 1');

const OPERATOR_TOKEN = 'op_'.padEnd(40, 'x');

/** A test that uses it is about the data folder; see `FOLDER_ONLY`. */
const NO_STORE = new Proxy({} as Store, {
  get: () => {
    throw new Error('the data of this service is in a database');
  },
});

/** Administration after which the server has seen every change: its operator's interface waits for that. */
function seenBy(operator: string, administration: Administration): Administration {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  return new Proxy(administration, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        const result: unknown = await Reflect.apply(method, target, args);
        await (await fetch(`${operator}/api/audit?limit=1`, { headers })).text();
        return result;
      };
    },
  });
}

/** The two models of the contract, both of them tiny. */
function twoModels(folder: string): string {
  const models = modelsFolder(folder, {}, { id: 'decider-g-12b', release_date: '2026-01-01' });
  const file = join(models, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const [smaller] = manifest.models;
  const larger = {
    ...smaller,
    id: 'decider-g-31b',
    release_date: null,
    builds: [{ ...smaller.builds[0], date: '20260201' }],
    price_class: 'decider-g-31b',
  };
  writeFileSync(file, JSON.stringify({ ...manifest, models: [smaller, larger] }));
  return models;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
