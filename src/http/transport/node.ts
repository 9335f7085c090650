/**
 * HTTP through node:http: slower than uWebSockets.js, present everywhere. Set up to behave like it wherever a
 * client could tell: the same header limit, a client that closes its sending side counts as gone, idle
 * connections and slow readers are dropped after 10 seconds, and what uWebSockets.js does not take for a request is
 * refused. Where it does better and could only be made worse, it is left so: pipelined requests are answered, and a
 * header field that it cannot read gets a 400.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { InFlight } from './in-flight.js';
import { Connections } from './node-connections.js';
import { misfit, refuseMalformed } from './node-refuse.js';
import { sendPieces } from './send-pieces.js';
import {
  type BodyListener,
  type BodyStream,
  ClientGone,
  type HeaderList,
  type Incoming,
  isStream,
  ListenError,
  type Listener,
  type ListenOptions,
  MAX_HEADER_BYTES,
  type Reply,
  type Transport,
} from './types.js';

const IDLE_MS = 10_000;
const NOTHING = new Uint8Array(0);

/** Above every deadline for a body that the handler sets: it bounds bodies that nobody reads. */
const REQUEST_MS = 90_000;

/** The transport over node:http. */
export const nodeTransport: Transport = { name: 'node', listen };

function listen(options: ListenOptions): Promise<Listener> {
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The handler refuses a missing Host itself: node's own answer carries none of our headers.
    requireHostHeader: false,
    headersTimeout: IDLE_MS,
    keepAliveTimeout: IDLE_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 2_000,
  });
  // Node drops the fields beyond its default of 2,000 silently; the size limit bounds them well enough.
  server.maxHeadersCount = 0;
  const state: ServerState = {
    options,
    connections: new Connections(),
    inFlight: new InFlight(),
    stopping: false,
  };
  server.on('request', (req, res) => serve(state, req, res, false));
  server.on('checkContinue', (req, res) => serve(state, req, res, true));
  server.on('checkExpectation', (req, res) => serve(state, req, res, false));
  refuseMalformed(server, state.connections, options.refuse);
  return bind(server, options, () => drain(server, state));
}

interface ServerState {
  readonly options: ListenOptions;
  readonly connections: Connections;
  readonly inFlight: InFlight;
  stopping: boolean;
}

function bind(
  server: Server,
  { host, port }: ListenOptions,
  drained: () => Promise<void>,
): Promise<Listener> {
  return new Promise((resolve, reject) => {
    // For as long as the server lives: a failed accept must not end the process.
    server.on('error', (error: NodeJS.ErrnoException) => {
      reject(
        ListenError.at(host, port, error.code === 'EADDRINUSE' ? 'the address is in use' : error.message),
      );
    });
    server.listen({ host, port, exclusive: true }, () => {
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= drained();
        return stopped;
      };
      resolve({ host, port: (server.address() as AddressInfo).port, stop });
    });
  });
}

async function drain(server: Server, state: ServerState): Promise<void> {
  state.stopping = true;
  // Not the method of http.Server yet: that one also cuts connections whose answer is still being sent.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await state.inFlight.empty();
  server.closeAllConnections();
  await closed;
  // Ends the timer that looks for slow connections.
  server.close();
}

function serve(
  server: ServerState,
  req: IncomingMessage,
  res: ServerResponse,
  awaitsContinue: boolean,
): void {
  const gone = new AbortController();
  server.inFlight.enter();
  server.connections.begin(req, res, (lost) => {
    server.inFlight.leave();
    if (lost) gone.abort(new ClientGone());
  });
  // A connection cut off is told by 'close'; without these listeners it would end the process.
  req.on('error', () => {});
  res.on('error', () => {});
  const onBody = (listener: BodyListener) => {
    if (awaitsContinue) res.writeContinue();
    receive(req, res, listener);
  };
  const incoming = {
    method: req.method ?? '',
    target: req.url ?? '',
    headers: headerList(req.rawHeaders),
    signal: gone.signal,
    onBody,
  };
  const wrong = misfit(req);
  if (wrong !== null) {
    const refusal = server.options.refuse(wrong);
    write(res, refusal, refusal.body, server.stopping);
  } else answer(server, incoming, res).catch(() => res.destroy());
}

async function answer(
  server: ServerState,
  incoming: Parameters<ListenOptions['handler']>[0],
  res: ServerResponse,
): Promise<void> {
  const reply = await server.options.handler(incoming);
  if (res.destroyed || incoming.signal.aborted) return;
  if (isStream(reply.body)) {
    await writeStream(res, reply, reply.body, incoming, server.stopping);
  } else write(res, reply, reply.body, server.stopping);
}

function receive(req: IncomingMessage, res: ServerResponse, listener: BodyListener): void {
  const pass = (chunk: Uint8Array, last: boolean) => {
    try {
      listener(chunk, last);
    } catch {
      res.destroy();
    }
  };
  req.on('data', (chunk: Uint8Array) => pass(chunk, false));
  req.on('end', () => pass(NOTHING, true));
}

function write(res: ServerResponse, reply: Reply, body: string | Uint8Array, stopping: boolean): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  writeHead(res, reply, stopping, [['Content-Length', String(bytes.byteLength)]]);
  res.end(bytes);
}

async function writeStream(
  res: ServerResponse,
  reply: Reply,
  { pieces, sent }: BodyStream,
  { method, signal }: Incoming,
  stopping: boolean,
): Promise<void> {
  writeHead(res, reply, stopping, []);
  if (method === 'HEAD') {
    res.end();
    return;
  }
  const sink = {
    write: (piece: Uint8Array) => res.write(piece),
    onRoom: (resume: () => void) => void res.once('drain', resume),
    signal,
  };
  if (await sendPieces(pieces, sink)) res.end(sent);
}

function writeHead(res: ServerResponse, reply: Reply, stopping: boolean, own: HeaderList): void {
  const headers: HeaderList = [...reply.headers, ...own];
  const closing: HeaderList = reply.close || stopping ? [['Connection', 'close']] : [];
  res.writeHead(reply.status, [...headers, ...closing].flat());
  res.setTimeout(IDLE_MS, () => res.destroy());
}

function headerList(raw: readonly string[]): HeaderList {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) list.push([raw[at]!.toLowerCase(), raw[at + 1]!]);
  return list;
}
