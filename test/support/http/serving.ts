import { type Test, test } from 'tap';
import { systemClock } from '../../../src/base/index.js';
import type { SentRequest } from '../../../src/decide/index.js';
import {
  type AccessEntry,
  type HttpOptions,
  type HttpServer,
  startHttp,
  type TransportName,
} from '../../../src/http/index.js';
import { loadUws } from '../../../src/http/transport/uws-transport.js';
import { LONG } from '../scale.js';
import { RawClient, type RawResponse } from './raw-client.js';

/** The only model of the list. */
const MODEL = {
  id: 'm',
  ownedBy: 'us',
  description: 'A model.',
  releaseDate: null,
  maxOptions: 26,
  readsImages: true,
  contextTokens: 2_048,
  domain: null,
};

/** Why uWebSockets.js cannot be tested here; false where it can. */
export const uwsMissing = await loadUws().then(
  () => false,
  (error: Error) => `uWebSockets.js does not load here: ${error.message.split('\n')[0]}`,
);

/** The transports of a test about something else than HTTP: Node's, and at full scale both. */
export const TRANSPORTS: readonly TransportName[] = LONG && uwsMissing === false ? ['uws', 'node'] : ['node'];

/** Runs one test on both transports; on uWebSockets.js it is skipped, with the reason, where that does not load. */
export function onBoth(name: string, run: (t: Test, transport: TransportName) => Promise<void>): void {
  test(`${name} (node)`, (t) => run(t, 'node'));
  test(`${name} (uws)`, { skip: uwsMissing }, (t) => run(t, 'uws'));
}

type Decide = (request: SentRequest & { readonly signal: AbortSignal }) => Promise<string>;

/** A server on a free port with an app of the test's own, and what it told the logs. */
export interface Serving {
  readonly server: HttpServer;
  readonly port: number;
  readonly access: AccessEntry[];
  readonly unexpected: unknown[];
  /** Resolves when the log holds `count` entries. */
  logged(count: number): Promise<void>;
  /** One request over a connection of its own, answered. */
  ask(bytes: string | Uint8Array, head?: boolean): Promise<RawResponse>;
  /** An open connection, closed when the test ends. */
  client(): Promise<RawClient>;
}

/** The app's answer unless a test brings its own: what it was given. */
export const echo: Decide = async ({ body, format }) =>
  JSON.stringify({ length: body.length, text: Buffer.from(body).subarray(0, 100).toString(), format });

/** Starts a server for one test, which stops it again. */
export async function serve(
  t: Test,
  transport: TransportName,
  decide: Decide = echo,
  options: Partial<HttpOptions> = {},
): Promise<Serving> {
  const access: AccessEntry[] = [];
  const unexpected: unknown[] = [];
  const waiting: (() => void)[] = [];
  const server = await startHttp({
    transport,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    app: {
      checkReady: () => {},
      authorize: () => ({
        keyId: 'key_test',
        workspaceId: 'default',
        keyExpires: '2027-01-01',
        admit: () => {},
        admitFree: () => {},
        rates: () => ({
          limit: { requests: 6_000, bytes: 1_000 },
          left: { requests: 5_999, bytes: 0 },
          resetMs: 59_250.2,
        }),
        limits: () => ({ object: 'limits' }),
        usage: async (days) => ({ object: 'usage', days }),
        allowedModels: null,
        get tasks(): never {
          throw new Error('the test expects no call about tasks');
        },
        batches: null,
        decide: async (request, signal) => ({
          json: await decide({ ...request, signal }),
          build: 'm-20260101',
          timing: { queue: 1.5, engine: 20 },
        }),
      }),
      serves: (model) => model === 'm',
      models: () => [MODEL],
    },
    onAccess: (entry) => {
      access.push(entry);
      for (const resolve of waiting.splice(0)) resolve();
    },
    onUnexpected: (error) => unexpected.push(error),
    ...options,
  });
  const clients: RawClient[] = [];
  t.teardown(async () => {
    for (const client of clients) client.destroy();
    await server.stop();
  });
  const client = async () => {
    const tls = options.tls ? { ca: options.tls.cert, servername: 'localhost' } : null;
    const made = await RawClient.connect(server.port, '127.0.0.1', tls);
    clients.push(made);
    return made;
  };
  return {
    server,
    port: server.port,
    access,
    unexpected,
    async logged(count) {
      while (access.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async ask(bytes, head = false) {
      const connection = await client();
      connection.send(bytes);
      const response = await connection.response(head);
      connection.destroy();
      return response;
    },
    client,
  };
}

/** The `type` of an error's body. */
export function errorType(response: RawResponse): string {
  return (JSON.parse(response.body) as { type: string }).type;
}

/** A promise and the function that resolves it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
