import { getEventListeners } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { type BatchApp, type HttpServer, startHttp, type TransportName } from '../../src/http/index.js';
import { sendPieces } from '../../src/http/transport/send-pieces.js';
import { fakeApp, fakeCaller } from '../support/http/fake-app.js';
import { onBoth } from '../support/http/serving.js';
import { LONG } from '../support/scale.js';

const LINES = ['{"a":1}\n', '{"b":2}\n'];

/** A server that knows the results of one batch. */
async function start(
  transport: TransportName,
  lines: readonly string[] | AsyncIterable<string>,
  onAsked: () => void = () => {},
): Promise<HttpServer> {
  async function* pieces() {
    for await (const line of lines) yield Buffer.from(line);
  }
  const results = async () => {
    onAsked();
    return { pieces: pieces(), collected: () => {} };
  };
  const caller = fakeCaller({ batches: { results } as unknown as BatchApp });
  const app = fakeApp(() => caller);
  const logged = { onAccess: () => {}, onUnexpected: () => {} };
  return startHttp({ transport, host: '127.0.0.1', port: 0, clock: systemClock, app, ...logged });
}

/** What node's own client, which is strict about chunks, makes of the answer. */
function collect(port: number, method: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; connection: string | undefined; body: string }>(
    (resolve, reject) => {
      const path = '/v1/batches/batch_x/results';
      const sent = request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
        const { statusCode: status, headers } = response;
        text(response).then((body) => resolve({ status, connection: headers.connection, body }), reject);
      });
      sent.on('error', reject);
      sent.end();
    },
  );
}

/** Each makes the answer the last of its connection. */
const CLOSING: readonly Record<string, string>[] = [
  { Connection: 'close' },
  { Connection: 'foo, Close' },
  { Connection: 'keep-alive', Expect: '100-continue', 'Content-Length': '0' },
];

onBoth('a stream as the last response of its connection', async (t, transport) => {
  const server = await start(transport, LINES);
  const empty = await start(transport, []);
  t.teardown(() => Promise.all([server.stop(), empty.stop()]));
  for (const headers of CLOSING) {
    const name = JSON.stringify(headers);
    const closed = { status: 200, connection: 'close' };
    t.match(await collect(server.port, 'GET', headers), { ...closed, body: LINES.join('') }, name);
    t.match(await collect(server.port, 'HEAD', headers), { ...closed, body: '' }, `HEAD ${name}`);
    t.match(await collect(empty.port, 'GET', headers), { ...closed, body: '' }, `nothing ${name}`);
  }
});

onBoth('a stream that begins while the server stops is sent to its end', async (t, transport) => {
  let stopped: Promise<void> | undefined;
  const server = await start(transport, LINES, () => {
    stopped = server.stop();
  });
  const answer = await collect(server.port, 'GET', { Connection: 'keep-alive' });
  t.match(answer, { status: 200, connection: 'close', body: LINES.join('') });
  await stopped;
});

/** Longer than an idle connection stays open. */
const SLOW_PIECE_MS = LONG ? 11_000 : 100;

onBoth(
  `a stream whose next piece takes ${SLOW_PIECE_MS} ms to produce is sent whole`,
  async (t, transport) => {
    async function* slowly() {
      for (const line of LINES) {
        await setTimeout(SLOW_PIECE_MS);
        yield line;
      }
    }
    const server = await start(transport, slowly());
    t.teardown(() => server.stop());
    t.match(await collect(server.port, 'GET', {}), { status: 200, body: LINES.join('') });
  },
);

test('a slow reader leaves no listener for every piece', async (t) => {
  const gone = new AbortController();
  const sent: number[] = [];
  const sink = {
    write: (piece: Uint8Array) => {
      sent.push(piece[0] as number);
      t.equal(getEventListeners(gone.signal, 'abort').length, 1);
      return false;
    },
    onRoom: (resume: () => void) => void setImmediate(resume),
    signal: gone.signal,
  };
  t.equal(await sendPieces([Buffer.from([1]), Buffer.from([2]), Buffer.from([3])], sink), true);
  t.strictSame(sent, [1, 2, 3]);
});

test('a reader that disconnects while there is no room ends the sending', async (t) => {
  const gone = new AbortController();
  const sink = { write: () => false, onRoom: () => gone.abort(), signal: gone.signal };
  t.equal(await sendPieces([Buffer.from([1]), Buffer.from([2])], sink), false);
});
