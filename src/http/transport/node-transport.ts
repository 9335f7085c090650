/**
 * HTTP through node:http: slower than uWebSockets.js, available everywhere. Configured to behave alike wherever a client
 * could tell: the same header limit, a client that closes its sending side counts as gone, readers are paced, and
 * requests that uWebSockets.js does not accept are refused. How long idle connections stay open is a setting. Its
 * advantages are kept: pipelined requests are answered, and an unreadable header field gets a 400.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { guardDescriptors, type Listening } from './descriptors.js';
import { headerList } from './header-list.js';
import type { IdleConnections } from './idle-connections.js';
import { InFlight } from './in-flight.js';
import { NodeExchange, ReadTurns, type ServerState } from './node-exchange.js';
import { arrivalOf } from './node-head.js';
import { refuseMalformed, refusePlainHttp } from './node-refuse.js';
import { createNodeServer, type TlsStream } from './node-server.js';
import { ConnectionTurns } from './node-turns.js';
import {
  type BodyListener,
  type Incoming,
  isStream,
  ListenError,
  type Listener,
  type ListenOptions,
  type MalformedStatus,
  type Transport,
} from './transport-types.js';

const NOTHING = new Uint8Array(0);

/** The transport over node:http. */
export const nodeTransport: Transport = { name: 'node', listen };

async function listen(options: ListenOptions): Promise<Listener> {
  const { server, renew, closeUnused } = createNodeServer(options.tls, options.keepAliveMs);
  const { idle, requests } = options.bounds;
  trackNew(server, idle);
  const state: ServerState = {
    options,
    turns: new ConnectionTurns(options.clock, requests),
    reading: new ReadTurns(),
    inFlight: new InFlight(),
    stopping: false,
  };
  const take = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => {
    // A broken connection is reported by 'close'; without these listeners it would end the process.
    req.on('error', () => {});
    res.on('error', () => {});
    const { socket } = req;
    const { wrong, isLast, bytes } = arrivalOf(req);
    const run = async () => {
      idle.remove(socket);
      await serve(state, req, res, wrong, awaitsContinue);
      idle.add(socket);
    };
    state.turns.take(socket, run, bytes, isLast);
  };
  server.on('request', (req, res) => take(req, res, false));
  server.on('checkContinue', (req, res) => take(req, res, true));
  server.on('checkExpectation', (req, res) => take(req, res, false));
  const closeRefused = refuseMalformed(server, state.turns, options);
  refusePlainHttp(server, options.refusePlain);
  const closeRest = () => {
    closeRefused();
    closeUnused();
  };
  const bound = await bind(server, idle, options, () => drain(server, state, closeRest));
  return { ...bound, renew };
}

/** Counts new connections as idle. With TLS, the first event comes before the handshake and the second one after it. */
function trackNew(server: Server, idle: IdleConnections): void {
  server.on('connection', (socket: Socket) => idle.add(socket));
  server.on('secureConnection', (socket: TlsStream) => {
    if (socket._parent) idle.remove(socket._parent);
    idle.add(socket);
  });
}

function bind(
  server: Server,
  idle: IdleConnections,
  { host, port }: ListenOptions,
  drained: () => Promise<void>,
): Promise<Omit<Listener, 'renew'>> {
  return new Promise((resolve, reject) => {
    // Never removed: a failed accept must not end the process.
    server.on('error', (error: NodeJS.ErrnoException) => {
      reject(
        ListenError.at(host, port, error.code === 'EADDRINUSE' ? 'the address is in use' : error.message),
      );
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = { host, port: (server.address() as AddressInfo).port };
      const unguard = guardDescriptors(listeningOf(server, idle, address));
      let stopped: Promise<void> | undefined;
      const stop = () => {
        unguard();
        stopped ??= drained();
        return stopped;
      };
      resolve({ ...address, stop });
    });
  });
}

const listeningOf = (
  server: Server,
  idle: IdleConnections,
  address: { host: string; port: number },
): Listening => ({
  closeIdle: () => idle.closeAll(),
  // Open connections stay.
  close: () => void NetServer.prototype.close.call(server),
  open(failed) {
    server.once('error', failed);
    server.listen({ ...address, exclusive: true }, () => server.off('error', failed));
  },
});

async function drain(server: Server, state: ServerState, closeRest: () => void): Promise<void> {
  state.stopping = true;
  // Not http.Server's method: that one also cuts connections whose response is still being sent.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await state.inFlight.empty();
  server.closeAllConnections();
  closeRest();
  await closed;
  // Stops the timer that checks for slow connections.
  server.close();
}

/** Answers one request. Resolves when its response has ended, written or not. Must not throw. */
function serve(
  server: ServerState,
  req: IncomingMessage,
  res: ServerResponse,
  wrong: MalformedStatus | null,
  awaitsContinue: boolean,
): Promise<void> {
  const exchange = new NodeExchange(server, req, res);
  const onBody = (listener: BodyListener) => {
    if (awaitsContinue) res.writeContinue();
    receive(server, req, res, listener);
  };
  const incoming = {
    method: req.method ?? '',
    target: req.url ?? '',
    headers: headerList(req.rawHeaders),
    peer: req.socket.remoteAddress ?? '',
    signal: exchange.signal,
    onBody,
  };
  if (wrong !== null) {
    const refusal = server.options.refuse(wrong);
    exchange.write(refusal, refusal.body);
  } else answer(server, incoming, exchange).catch(() => res.destroy());
  return exchange.over;
}

async function answer(server: ServerState, incoming: Incoming, exchange: NodeExchange): Promise<void> {
  const reply = await server.options.handler(incoming);
  const { body } = reply;
  if (incoming.signal.aborted) return;
  if (isStream(body)) await exchange.writeStream(reply, body);
  else exchange.write(reply, body);
}

function receive(
  { reading }: ServerState,
  req: IncomingMessage,
  res: ServerResponse,
  listener: BodyListener,
): void {
  const pass = (chunk: Uint8Array, last: boolean) => {
    try {
      listener(chunk, last);
    } catch {
      res.destroy();
    }
  };
  req.on('data', (chunk: Uint8Array) => {
    pass(chunk, false);
    reading.read(req, chunk.byteLength);
  });
  req.on('end', () => pass(NOTHING, true));
}
