/**
 * HTTP through uWebSockets.js, here as uws-pack 20.0.8. Measured of that version, and relied upon or lived with:
 *
 * What it answers by itself, in HTML, without our headers and without calling the handler: 505 to anything whose
 * request line it cannot read (HTTP/1.0, an absolute or `*` target, line feeds alone, noise), and also to a good
 * request line when a packet ends behind the space of the method or inside `HTTP/1.1\r\n` (a packet may end anywhere
 * else); 431 above `MAX_HEADER_BYTES` or `MAX_HEADER_FIELDS`; 400 to Content-Length together with Transfer-Encoding,
 * and to chunks that it cannot read, in place of our answer. To a Content-Length that is no number it would answer 400
 * too, but ours goes out before (`uws-last.ts`).
 * A header field it cannot read, a folded line, a control character or no header at all gets no answer: the connection
 * closes when its timer ends. `Expect: 100-continue` is answered `100` before the handler runs, and
 * `100-Continue` is not; nothing in its interface can answer it.
 *
 * An empty line before a request is not skipped, and waits likewise.
 *
 * A field without a name hides those behind it, from us and from the library's own reading of the length: a request is
 * then executed that a reader before us took for a body. Nothing in its interface shows that there are more fields, so
 * `auto` does not choose this version (`../trial`). Every other way to hide a request is closed; `test/support/http/desync.ts` has them.
 *
 * What it lets pass: a repeated Content-Length (the first counts), an empty one, any Transfer-Encoding (decoded
 * as chunked), any method, a target that is not ASCII, a `POST` without a length. The handler has to look at all of that.
 *
 * It goes on reading the requests of a packet behind an answer that closes the connection, and the connection then
 * stays open. But it reads none behind a request whose response is not finished, so that of a last answer never is.
 *
 * Pipelining: a request that arrives while the one before it has no answer yet closes the connection and loses
 * both. Answers that need no waiting, such as the health check's, are written in order.
 *
 * To close a connection within the callback for a chunk corrupts memory: the callback is called for the packet's other
 * chunks after it was freed.
 *
 * Time: an idle connection, an unfinished head, a reader that takes nothing and a body that trickles are dropped
 * after 8 to 12 seconds, without a word. `pause` and `resume` start that timer afresh, which is what keeps the
 * deadlines for a body in the hands of the caller. A handler may take as long as it likes.
 *
 * A readable socket is read, 512 KiB at a time, until it has less than that, and `pause` changes that for the next turn
 * only. A client on the same machine sends as fast as it is read: a body of 32 MiB then comes in one turn, which takes
 * 10 to 20 ms.
 *
 * A client that closes its sending side counts as gone. A throw out of any callback ends the process; so does
 * writing after an answer or an abort. A second server on one port is only refused with the exclusive option.
 * `close` on the application cuts every connection, also those with a request in progress.
 */
import { guardDescriptors, type Listening } from './descriptors.js';
import { InFlight } from './in-flight.js';
import { bytesOfFields } from './request-memory.js';
import {
  type HeaderList,
  ListenError,
  type Listener,
  type ListenOptions,
  MAX_HEADER_BYTES,
  type Reply,
  type Transport,
} from './transport-types.js';
import { UwsApps } from './uws-apps.js';
import { type ServerState, UwsExchange } from './uws-exchange.js';
import {
  importUws,
  type UwsApp,
  type UwsLibrary,
  type UwsListenSocket,
  type UwsRequest,
  type UwsResponse,
} from './uws-library.js';

/** The transport over uWebSockets.js. Rejects if the package does not load. */
export async function loadUws(): Promise<Transport> {
  const library = await importUws(MAX_HEADER_BYTES);
  return { name: 'uws', listen: (options) => listen(library, options) };
}

async function listen(library: UwsLibrary, options: ListenOptions): Promise<Listener> {
  const { host, port } = options;
  const inFlight = new InFlight();
  const apps = new UwsApps(library, options, inFlight, (app, state) => {
    app.any('/*', (res, req) => serve(state, res, req));
  });
  const socket = await new Promise<UwsListenSocket>((resolve, reject) => {
    apps.listening.listen(host, port, library.LIBUS_LISTEN_EXCLUSIVE_PORT, (opened) => {
      // The library does not distinguish the two.
      if (opened === false) {
        reject(ListenError.at(host, port, 'the address is in use, or not one of this machine'));
      } else resolve(opened);
    });
  });
  const address = { host, port: library.us_socket_local_port(socket) };
  const listening = listeningOf(library, apps.listening, socket, address);
  const unguard = guardDescriptors(listening);
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    unguard();
    apps.stopping();
    listening.close();
    await inFlight.empty();
    // The last response may have been written inside a callback of the library, which sends it when it returns.
    await new Promise((resolve) => setImmediate(resolve));
    apps.close();
  };
  return {
    ...address,
    renew: (certificate) => apps.renew(certificate),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function listeningOf(
  library: UwsLibrary,
  app: UwsApp,
  first: UwsListenSocket,
  { host, port }: { host: string; port: number },
): Listening {
  let socket: UwsListenSocket | null = first;
  return {
    // The library does not list its connections; it closes idle ones after 8 to 12 seconds.
    closeIdle: () => 0,
    close() {
      if (socket !== null) library.us_listen_socket_close(socket);
      socket = null;
    },
    open(failed) {
      app.listen(host, port, library.LIBUS_LISTEN_EXCLUSIVE_PORT, (opened) => {
        socket = opened === false ? null : opened;
        if (socket === null) failed();
      });
    },
  };
}

/** Must not throw. Everything needed of `req` is read before it returns. */
function serve(server: ServerState, res: UwsResponse, req: UwsRequest): void {
  const exchange = new UwsExchange(server, res);
  try {
    const head = readHead(req);
    const peer = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
    const write = (reply: Reply) => exchange.write(reply, head);
    exchange.hold(bytesOfFields(head.target, head.headers));
    server.options
      .handler({ ...head, peer, signal: exchange.signal, onBody: (listener) => exchange.onBody(listener) })
      .then(write)
      .catch(() => exchange.cut());
  } catch {
    exchange.cut();
  }
}

function readHead(req: UwsRequest): { method: string; target: string; headers: HeaderList } {
  // Not getMethod: it changes the string that getCaseSensitiveMethod returns.
  const method = req.getCaseSensitiveMethod();
  const query = req.getQuery();
  const target = query === undefined ? req.getUrl() : `${req.getUrl()}?${query}`;
  const headers: [string, string][] = [];
  req.forEach((name, value) => {
    headers.push([name, value]);
  });
  return { method, target, headers };
}
