import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPERATOR_ROUTES, type OperatorRouteName } from '../../api/index.js';
import { type ConsoleFiles, ListenError } from '../../http/index.js';
import { consoleAnswer, isConsolePath } from './console-files.js';
import { carriesToken } from './token.js';

/** Most connections at a time; further ones are closed. */
export const OPERATOR_CONNECTIONS_MAX = 64;
/** The time for a request to arrive, in milliseconds. */
const REQUEST_MS = 10_000;

/** The response of a route. */
interface OperatorReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What each route does. An error is answered 500 and reported. */
export type OperatorHandlers = Readonly<
  Record<OperatorRouteName, () => OperatorReply | Promise<OperatorReply>>
>;

export interface OperatorListener {
  readonly url: string;
  stop(): Promise<void>;
}

interface OperatorOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly token: string;
  readonly handlers: OperatorHandlers;
  /** The files of the operator's console; null: it is off. */
  readonly console: ConsoleFiles | null;
  /** Receives the errors of handlers. Must not throw. */
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * Serves `OPERATOR_ROUTES` on a listener of its own, out of reach of callers. Rejects with ListenError if the address is
 * not available.
 */
export async function listenForOperator(options: OperatorOptions): Promise<OperatorListener> {
  const { host, port } = options;
  const server = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
    void answer(options, request).then(({ headers, status, body }) =>
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body),
    );
  });
  server.maxConnections = OPERATOR_CONNECTIONS_MAX;
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    const { message } = ListenError.at(host, port, (error as Error).message);
    throw new ListenError(`operator.host, operator.port: ${message}`);
  }
  // A failed accept must not end the process.
  server.on('error', () => {});
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A reply with its header fields. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The token comes first, but for the console: without it a path tells nothing about the routes. */
async function answer(options: OperatorOptions, request: IncomingMessage): Promise<Answer> {
  const path = request.url?.split('?', 1)[0];
  if (options.console !== null && isConsolePath(path)) {
    if (!READS.includes(request.method)) return notAllowed(['GET', 'HEAD']);
    const file = consoleAnswer(options.console, path as string, request);
    return file ?? refusal(404, 'The console has no such file.');
  }
  if (!carriesToken(request.headers.authorization, options.token)) {
    return refusal(401, 'This listener needs the header Authorization: Bearer <operator token>.', {
      'WWW-Authenticate': 'Bearer',
    });
  }
  const routes = OPERATOR_ROUTES.filter((each) => each.path === path);
  if (routes.length === 0) return refusal(404, 'No such path.');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const route = routes.find((each) => each.method === method);
  if (route === undefined) {
    const allowed = routes.flatMap((each) => (each.method === 'GET' ? ['GET', 'HEAD'] : [each.method]));
    return notAllowed(allowed);
  }
  try {
    const { status, type, body } = await options.handlers[route.name]();
    return { status, headers: { 'Content-Type': type, ...COMMON }, body };
  } catch (error) {
    options.onUnexpected(error);
    return refusal(500, 'The server failed to answer this request; its log has the reason.');
  }
}

const READS: readonly unknown[] = ['GET', 'HEAD'];

const notAllowed = (methods: readonly string[]): Answer =>
  refusal(405, 'The path does not have this method.', { Allow: methods.join(', ') });

const COMMON = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

const refusal = (status: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { 'Content-Type': JSON_TYPE, ...COMMON, ...headers },
  body: JSON.stringify({ error }),
});

const JSON_TYPE = 'application/json; charset=utf-8';

/** A JSON response, indented for people. */
export const jsonReply = (status: number, value: unknown): OperatorReply => ({
  status,
  type: JSON_TYPE,
  body: `${JSON.stringify(value, null, 2)}\n`,
});
