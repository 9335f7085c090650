import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/index.js';
import {
  arrivalOf,
  ConnectionTurns,
  endBehindRequest,
  headerList,
  IDLE_MS,
  isFromBrowser,
  ListenError,
  limitFields,
  MAX_HEADER_BYTES,
  RequestMemory,
  refuseMalformed,
  sendBody,
  TrustedProxies,
} from '../../http/index.js';
import { type Answer, type AnswerOptions, answer, malformed } from './answer-operator.js';
import { OperatorConnections } from './connections.js';
import { carriesToken } from './token.js';

/** The time for a whole request to arrive, in milliseconds; its connection is closed within a fifth of it more. */
export const OPERATOR_REQUEST_MS_MAX = 10_000;

/** As `REQUEST_MEMORY_BYTES`, for this listener. */
export const OPERATOR_REQUEST_MEMORY_BYTES = 32 * 1024 * 1024;

export interface OperatorListener {
  readonly url: string;
  stop(): Promise<void>;
}

interface OperatorOptions extends AnswerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** IP addresses and networks of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** How long a connection without a request stays open after a response, in milliseconds. */
  readonly keepAliveMs: number;
  /** For tests, in place of `OPERATOR_REQUEST_MS_MAX`: node measures this time itself. */
  readonly requestMs?: number;
}

/**
 * Serves `OPERATOR_ROUTES` and `OPERATOR_API` on a listener of its own, out of reach of callers. The requests of a
 * connection run one at a time. Rejects with ListenError if the address is not available.
 */
export async function listenForOperator(options: OperatorOptions): Promise<OperatorListener> {
  const { host, port, clock } = options;
  const proxies = new TrustedProxies(options.trustedProxies);
  const turns = new ConnectionTurns(clock, new RequestMemory(OPERATOR_REQUEST_MEMORY_BYTES));
  const connections = new OperatorConnections();
  /** The last request of each connection: the only one whose body may be incomplete. */
  const arrived = new WeakMap<object, IncomingMessage>();
  const running = new WeakMap<object, IncomingMessage>();
  const broken = new WeakSet<IncomingMessage>();
  const server = createOperatorServer(options);
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const { isLast, bytes } = arrivalOf(request);
    const hasToken = carriesToken(request.headers.authorization, options.token);
    if (!hasToken) connections.strangerAsked(socket);
    arrived.set(socket, request);
    // A broken connection is reported by 'close'; without these listeners it would end the process.
    request.on('error', () => {});
    response.on('error', () => {});
    const run = async () => {
      // What was queued behind it closes the connection.
      if (broken.has(request)) return;
      // Counted from here on: `turns` drops requests that never run.
      if (hasToken && !connections.begin(socket)) return;
      const gone = new AbortController();
      const ended = new Promise<void>((resolve) => response.once('close', resolve));
      void ended.then(() => gone.abort());
      // The timeout of an earlier response on the connection would end this request.
      socket.setTimeout(0);
      running.set(socket, request);
      const found = await answer(options, proxies, request);
      const closes =
        found.headers.Connection === 'close' ||
        turns.isLast(socket) ||
        isFromBrowser(headerList(request.rawHeaders));
      if (closes) {
        response.setHeader('Connection', 'close');
        turns.end(socket);
      }
      write(request, response, found, gone.signal, clock);
      await ended;
      if (hasToken) connections.end(socket);
    };
    turns.take(socket, run, bytes, isLast);
  };
  server.on('request', take);
  server.on('checkExpectation', take);
  // What is malformed within a body, or late: the request would wait for the rest of it.
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const request = arrived.get(socket);
    if (request?.complete !== false) return;
    if (running.get(socket) === request) socket.destroy();
    else if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') broken.add(request);
  });
  const closeRefused = refuseMalformed(server, turns, { refuse: malformed, clock });
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
      closeRefused();
      await closed;
    },
  };
}

function createOperatorServer({ requestMs = OPERATOR_REQUEST_MS_MAX, keepAliveMs }: OperatorOptions): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    // `checkSite` refuses a missing Host where it matters.
    requireHostHeader: false,
    requestTimeout: requestMs,
    // By default node looks for slow requests every 30 seconds only.
    connectionsCheckingInterval: requestMs / 5,
  });
  server.keepAliveTimeout = keepAliveMs;
  limitFields(server);
  return server;
}

/** `gone` is aborted when the connection is closed. */
function write(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, status, body }: Answer,
  gone: AbortSignal,
  clock: Pick<Clock, 'after' | 'monotonic'>,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  // A 304 has no body, and its length would be that of the body it leaves out.
  const length = status === 304 ? {} : { 'Content-Length': bytes.byteLength };
  response.writeHead(status, { ...headers, ...length });
  if (request.method === 'HEAD') response.end();
  else if (headers.Connection !== 'close') sendBody(response, bytes, gone, clock);
  else {
    response.setTimeout(IDLE_MS, () => response.destroy());
    response.write(bytes);
    endBehindRequest(request, response, clock);
    request.resume();
  }
}
