import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/index.js';
import {
  ConnectionTurns,
  type ConsoleFiles,
  checkSite,
  type HeaderList,
  isUpgrade,
  Linger,
  ListenError,
  TrustedProxies,
} from '../../http/index.js';
import type { OperatorCall } from './api/call.js';
import { readJsonBody } from './body.js';
import { OperatorConnections } from './connections.js';
import { consoleAnswer, isConsolePath } from './console-files.js';
import { Refusal, refusalOf } from './refusal.js';
import { JSON_TYPE, type OperatorReply } from './reply.js';
import { notAllowed, type OperatorRoute, pathOf, readTarget } from './target.js';
import { carriesToken } from './token.js';

/** The time for a whole request to arrive, in milliseconds; its connection is closed within a fifth of it more. */
export const OPERATOR_REQUEST_MS_MAX = 10_000;

/** What each route does. Errors are answered as `refusalOf` says; others 500, and reported. */
export type OperatorHandlers = Readonly<
  Record<OperatorRoute['name'], (call: OperatorCall) => OperatorReply | Promise<OperatorReply>>
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
  /** Names of the listener besides addresses and `localhost`. */
  readonly hosts: readonly string[];
  /** IP addresses and networks of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly clock: Pick<Clock, 'after'>;
  /** For tests, in place of `OPERATOR_REQUEST_MS_MAX`: node measures this time itself. */
  readonly requestMs?: number;
  readonly handlers: OperatorHandlers;
  /** The files of the operator's console; null: it is off. */
  readonly console: ConsoleFiles | null;
  /** Receives the errors of handlers. Must not throw. */
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * Serves `OPERATOR_ROUTES` and `OPERATOR_API` on a listener of its own, out of reach of callers. The requests of a
 * connection run one at a time. Rejects with ListenError if the address is not available.
 */
export async function listenForOperator(options: OperatorOptions): Promise<OperatorListener> {
  const { host, port, requestMs = OPERATOR_REQUEST_MS_MAX } = options;
  const proxies = new TrustedProxies(options.trustedProxies);
  const turns = new ConnectionTurns(options.clock);
  // By default node looks for slow requests every 30 seconds only.
  const times = { requestTimeout: requestMs, connectionsCheckingInterval: requestMs / 5 };
  const connections = new OperatorConnections();
  const server = createServer(times, (request, response) => {
    const { socket } = request;
    const hasToken = carriesToken(request.headers.authorization, options.token);
    if (!hasToken) connections.strangerAsked(socket);
    else if (!connections.begin(socket)) return;
    const run = async () => {
      const ended = new Promise<void>((resolve) => response.once('close', resolve));
      const found = await answer(options, proxies, request);
      if (turns.isLast(socket)) response.setHeader('Connection', 'close');
      write(request, response, found, options.clock);
      await ended;
      if (hasToken) connections.end(socket);
    };
    turns.take(socket, run, isUpgrade(request));
  });
  server.on('connection', (socket) => connections.opened(socket));
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

function write(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, status, body }: Answer,
  clock: Pick<Clock, 'after'>,
): void {
  // A 304 has no body, and its length would be that of the body it leaves out.
  const length = status === 304 ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const isHead = request.method === 'HEAD';
  response.writeHead(status, { ...headers, ...length });
  if (headers.Connection === 'close' && !isHead) linger(request, response, body, clock);
  else response.end(isHead ? undefined : body);
}

/** Ends the response when the client has sent its request, or takes too long: a reset would lose the response. */
function linger(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array,
  clock: Pick<Clock, 'after'>,
): void {
  response.write(body);
  const discarding = new Linger(clock, () => response.end());
  request.on('data', (chunk: Uint8Array) => discarding.discarded(chunk.byteLength));
  request.once('end', () => response.end());
  response.once('close', () => discarding.stop());
  request.resume();
}

/** A reply with its header fields. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * The token comes before the path, but for the console: without it a path tells nothing about the routes. The console and
 * its interface are only served to pages of this site (see `checkSite`); a token makes the other routes safe.
 */
async function answer(
  options: OperatorOptions,
  proxies: TrustedProxies,
  request: IncomingMessage,
): Promise<Answer> {
  const { method = '', url: target = '' } = request;
  const path = pathOf(target);
  try {
    const headers = fieldsOf(request);
    const files = isConsolePath(path) ? options.console : null;
    if (files !== null || path.startsWith(INTERFACE)) checkSite(headers, options.hosts, 'operator.hosts');
    if (files !== null) return consoleFile(files, method, path, headers);
    if (!carriesToken(request.headers.authorization, options.token)) throw unauthorized();
    const { route, id, query } = readTarget(method, target);
    const body = route.method === 'GET' ? {} : await readJsonBody(request, options.clock);
    const peer = request.socket.remoteAddress ?? '';
    const actor = `operator:${proxies.clientOf({ peer, headers })}`;
    const reply = await options.handlers[route.name]({ id, query, body, actor });
    return { status: reply.status, headers: { 'Content-Type': reply.type, ...COMMON }, body: reply.body };
  } catch (error) {
    const refusal = refusalOf(error, subjectOf(path));
    if (refusal === null) options.onUnexpected(error);
    return refuse(refusal ?? UNEXPECTED, request);
  }
}

/** The paths of the interface of the console. */
const INTERFACE = '/api/';

/** The argument of an administrative change that the path, or the body, calls `id`. */
function subjectOf(path: string): 'workspace' | 'key' | null {
  if (path.startsWith('/api/workspaces')) return 'workspace';
  return path.startsWith('/api/keys/') ? 'key' : null;
}

function consoleFile(files: ConsoleFiles, method: string, path: string, headers: HeaderList): Answer {
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(['GET']);
  const file = consoleAnswer(files, path, headers);
  if (file === null) throw new Refusal('not_found', 'The console has no such file.');
  return file;
}

/** A response to a request whose body was not read closes the connection. */
function refuse({ status, body, headers }: Refusal, request: IncomingMessage): Answer {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  const isUnread = (length !== '0' || encoding !== undefined) && !request.complete;
  return {
    status,
    headers: { 'Content-Type': JSON_TYPE, ...COMMON, ...headers, ...(isUnread && { Connection: 'close' }) },
    body: JSON.stringify(body),
  };
}

const unauthorized = () =>
  new Refusal(
    'unauthorized',
    'This listener needs the header Authorization: Bearer <operator token>.',
    null,
    { 'WWW-Authenticate': 'Bearer' },
  );

const UNEXPECTED = new Refusal(
  'internal_error',
  'The server failed to answer this request; its log has the reason.',
);

const COMMON = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** The header fields in the form of the endpoints of callers. */
const fieldsOf = ({ headersDistinct }: IncomingMessage): HeaderList =>
  Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value) => [name, value] as const),
  );
