import { connect, type Socket } from 'node:net';
import { type Test, test } from 'tap';
import { DOWNLOADS_MAX } from '../../src/http/downloads.js';
import { type BatchApp, type HttpServer, startHttp, type TransportName } from '../../src/http/index.js';
import { SEND_BYTES_PER_SECOND_MIN, SEND_PATIENCE_MS, SendPace } from '../../src/http/transport/send-pace.js';
import { fakeClock } from '../support/fake-clock.js';
import { fakeApp, fakeCaller } from '../support/http/fake-app.js';
import { onBoth } from '../support/http/serving.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;
/** More than the buffers of two kernels take for a client that reads nothing. */
const BODY_BYTES = 64 * MIB;

function paced() {
  const clock = fakeClock();
  const pace = new SendPace(clock);
  let slow = false;
  const wait = () =>
    pace.wait(() => {
      slow = true;
    });
  return { clock, pace, wait, isSlow: () => slow };
}

test('readers: one that reads nothing is dropped when its time is over', async (t) => {
  const { clock, wait, isSlow } = paced();
  wait();
  clock.advance(SEND_PATIENCE_MS - 1);
  t.equal(isSlow(), false);
  clock.advance(1);
  t.equal(isSlow(), true);
});

test('readers: the minimum rate is always enough, a lower rate is not', async (t) => {
  for (const [share, dropped] of [
    [1, false],
    [0.9, true],
  ] as const) {
    const { clock, pace, wait, isSlow } = paced();
    const second = SEND_BYTES_PER_SECOND_MIN * share;
    for (let at = 0; at < 1_000 && !isSlow(); at += 1) {
      wait();
      clock.advance(1_000);
      pace.took(second);
    }
    t.equal(isSlow(), dropped, `${second} bytes per second`);
  }
});

test('readers: time counts only while the server waits, and unused time beyond the limit is not kept', async (t) => {
  const { clock, pace, wait, isSlow } = paced();
  for (let at = 0; at < 10; at += 1) {
    wait();
    pace.took(100 * MIB);
    clock.advance(60 * 60 * 1_000);
  }
  t.equal(clock.timers(), 0);
  wait();
  clock.advance(SEND_PATIENCE_MS);
  t.equal(isSlow(), true);
});

/** A server that sends a body in pieces and tells how many it has made. */
async function serveBody(
  t: Test,
  transport: TransportName,
  pieceBytes: number,
  keys: readonly string[] = ['k'],
) {
  // Stands still until the test moves it: how long the test takes changes nothing.
  const clock = fakeClock();
  const made = { bytes: 0, ended: 0 };
  const results = async () => ({
    pieces: (function* () {
      try {
        for (let sent = 0; sent < BODY_BYTES; sent += pieceBytes) {
          made.bytes += pieceBytes;
          yield Buffer.alloc(pieceBytes, '.');
        }
      } finally {
        made.ended += 1;
      }
    })(),
    collected: () => {},
  });
  const server: HttpServer = await startHttp({
    transport,
    host: '127.0.0.1',
    port: 0,
    clock,
    app: fakeApp(([header = '']) =>
      fakeCaller({
        keyId: keys.find((key) => header.endsWith(key)) ?? 'k',
        workspaceId: header.slice(-1),
        batches: { results, list: async () => '.'.repeat(BODY_BYTES) } as unknown as BatchApp,
      }),
    ),
    onAccess: () => {},
    onUnexpected: () => {},
  });
  const sockets: Socket[] = [];
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  });
  /** A client that reads the beginning of the answer and then no more until it is told. */
  const open = async (path: string, key = 'k', connection = 'keep-alive') => {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    let received = Buffer.alloc(0);
    let bytes = 0;
    let closed = false;
    socket.on('error', () => {});
    socket.on('close', () => {
      closed = true;
    });
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (received.length < 16) received = Buffer.concat([received, chunk]);
    });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: ${connection}\r\n\r\n`,
    );
    socket.once('data', () => socket.pause());
    await until(() => bytes > 0);
    return {
      socket,
      status: () => Number(received.subarray(9, 12).toString()),
      bytes: () => bytes,
      closed: () => closed,
    };
  };
  return { clock, made, open };
}

/** Until a server has sent what it sends to one that does not read. */
async function quiet(count: () => number): Promise<number> {
  let last = -1;
  let same = 0;
  await until(() => {
    same = count() === last ? same + 1 : 0;
    last = count();
    return same === 40;
  });
  return last;
}

for (const pieceBytes of [1_000, 200_000]) {
  onBoth(
    `readers: one that stops reading holds little, and is dropped: pieces of ${pieceBytes} bytes`,
    async (t, transport) => {
      const { clock, made, open } = await serveBody(t, transport, pieceBytes);
      const reader = await open('/v1/batches/batch_x/results');
      t.equal(reader.status(), 200);
      const held = await quiet(() => made.bytes);
      t.ok(held < BODY_BYTES / 2, `${held} bytes were made for it`);
      clock.advance(SEND_PATIENCE_MS);
      reader.socket.resume();
      await until(reader.closed);
      t.ok(reader.bytes() < BODY_BYTES / 2, 'its connection was closed before the end');
      t.equal(made.ended, 1, 'no more is made');
    },
  );
}

onBoth('readers: one that continues in time receives everything', async (t, transport) => {
  const { clock, made, open } = await serveBody(t, transport, 200_000);
  const reader = await open('/v1/batches/batch_x/results');
  await quiet(() => made.bytes);
  clock.advance(SEND_PATIENCE_MS - 5_000);
  reader.socket.resume();
  await until(() => reader.bytes() >= BODY_BYTES);
  t.equal(reader.closed(), false);
});

for (const connection of ['keep-alive', 'close']) {
  onBoth(
    `readers: a long answer that is whole is not kept for one that does not take it: ${connection}`,
    async (t, transport) => {
      const { clock, open } = await serveBody(t, transport, 200_000);
      const reader = await open('/v1/batches', 'k', connection);
      t.equal(reader.status(), 200);
      await quiet(reader.bytes);
      clock.advance(SEND_PATIENCE_MS);
      reader.socket.resume();
      await until(reader.closed);
      t.ok(reader.bytes() < BODY_BYTES);
    },
  );
}

onBoth(
  'readers: a key has ten downloads, a workspace twenty, one more is refused until one ends',
  async (t, transport) => {
    // The last letter is the workspace.
    const keys = ['1-a', '2-a', '3-a', '1-b'];
    const { open } = await serveBody(t, transport, 200_000, keys);
    const path = '/v1/batches/batch_x/results';
    t.strictSame(DOWNLOADS_MAX, { key: 10, workspace: 20, all: 80 });
    const readers = [];
    for (const key of ['1-a', '2-a']) {
      for (let at = 0; at < DOWNLOADS_MAX.key; at += 1) readers.push(await open(path, key));
      t.ok(readers.every(({ status }) => status() === 200));
      t.equal((await open(path, key)).status(), 503);
    }
    t.equal((await open(path, '3-a')).status(), 503, 'the share of its workspace');
    t.equal((await open(path, '1-b')).status(), 200);
    readers[0]?.socket.destroy();
    await until(async () => (await open(path, '1-a')).status() === 200);
  },
);

onBoth('readers: the slowest loses its place to another download', async (t, transport) => {
  const { clock, open } = await serveBody(t, transport, 200_000);
  const path = '/v1/batches/batch_x/results';
  const readers: Awaited<ReturnType<typeof open>>[] = [];
  for (let at = 0; at < DOWNLOADS_MAX.key; at += 1) readers.push(await open(path));
  t.equal((await open(path)).status(), 503);
  // The kernel takes some megabytes at once.
  clock.advance(SEND_PATIENCE_MS - 1_000);
  const last = await open(path);
  t.equal(last.status(), 200);
  for (const { socket } of readers) socket.resume();
  await until(() => readers.some(({ closed }) => closed()));
  const [ended, ...more] = readers.filter(({ closed }) => closed());
  t.ok((ended?.bytes() ?? 0) < BODY_BYTES);
  t.strictSame(more, []);
  last.socket.resume();
  await until(() => last.bytes() >= BODY_BYTES);
});
