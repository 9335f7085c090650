// One caller collects large results and takes a byte now and then; another one's requests and downloads go on.
import { connect, type Socket } from 'node:net';
import { test } from 'tap';
import { DOWNLOADS_MAX } from '../../src/http/downloads.js';
import { SEND_PATIENCE_MS } from '../../src/http/transport/send-pace.js';
import { median, startForCallers, type TestCaller } from '../support/callers.js';
import { movableClock } from '../support/movable-clock.js';
import { LONG, scaled } from '../support/scale.js';
import { until } from '../support/until.js';

/** Readers of one key. */
const READERS = scaled({ short: 10, long: 30 }, 'READERS');
const LINES = 30_000;
/** From its second second on, a download below 1 MiB/s may lose its place. */
const SLOW_AFTER_MS = 2_000;
const TEXTS = 20;
const QUESTIONS = { q: { type: 'choice', criteria: ['a', 'b', 'c'] } };

/** The path of results that are there at once: of a batch that was cancelled. */
async function cancelledBatch({ post }: TestCaller): Promise<string> {
  const line = (at: number) =>
    JSON.stringify({ custom_id: `${'c'.repeat(50)}${at}`, model: 'tiny', state: 'x', questions: QUESTIONS });
  const submitted = await post('/v1/batches', Array.from({ length: LINES }, (_, at) => line(at)).join('\n'));
  const path = `/v1/batches/${JSON.parse(submitted.body).id}`;
  await post(`${path}/cancel`, '');
  return `${path}/results`;
}

/** Takes a byte whenever the test says so; the first ones tell the status. */
function slowReader(port: number, token: string, path: string) {
  const [one, many] = [Buffer.alloc(1), Buffer.alloc(65_536)];
  const buffer = () => (isFast ? many : one);
  let head = '';
  let closed = false;
  let isFast = false;
  const take = (bytes: number, into: Uint8Array) => {
    if (head.length < 12) head += Buffer.from(into.subarray(0, bytes)).toString();
    return isFast || head.length < 12;
  };
  const socket: Socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback: take } });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return {
    socket,
    status: () => (head.length < 12 ? null : Number(head.slice(9))),
    closed: () => closed,
    /** From now on it takes everything. */
    readAll() {
      isFast = true;
      socket.resume();
    },
  };
}

for (const transport of ['uws', 'node']) {
  test(`readers: ${READERS} of one key that read a byte now and then do not delay another key (${transport})`, {
    timeout: 600_000,
  }, async (t) => {
    const clock = movableClock();
    const environment = { DECIDER_HTTP_TRANSPORT: transport };
    const { port, caller } = await startForCallers(t, environment, { clock });
    const [bad, good] = [caller('bad'), caller('good')];
    const path = await cancelledBatch(bad);
    const own = await cancelledBatch(good);
    await until(async () => (await good.get(own)).status === 200);
    await until(async () => (await bad.get(path)).status === 200);
    const before = process.memoryUsage.rss();

    const readers: ReturnType<typeof slowReader>[] = [];
    t.teardown(() => {
      for (const { socket } of readers) socket.destroy();
    });
    // No reader is slow before all of them have begun.
    await clock.during(() => {
      for (let at = 0; at < READERS; at += 1) readers.push(slowReader(port, bad.token, path));
      return until(() => readers.every(({ status }) => status() !== null));
    });
    const counts = [200, 503].map((wanted) => readers.filter(({ status }) => status() === wanted).length);
    t.strictSame(counts, [DOWNLOADS_MAX.key, READERS - DOWNLOADS_MAX.key], 'of one key ten are sent');

    const times: number[] = [];
    for (let at = 0; at < TEXTS; at += 1) {
      const start = performance.now();
      const body = JSON.stringify({ state: `the text ${at}`, questions: QUESTIONS });
      t.equal((await good.post('/v1/decide', body)).status, 200);
      times.push(performance.now() - start);
      for (const { socket } of readers) socket.resume();
    }
    const results = await good.get(own);
    t.equal(results.body.split('\n').length, LINES + 1, 'all of it is collected');
    const held = (process.memoryUsage.rss() - before) / 2 ** 20;
    t.comment(
      `text: median ${median(times).toFixed(1)} ms; ${held.toFixed(0)} MiB more, the test’s own among them`,
    );

    // As many can collect again, when those have been dropped.
    await until(async () => {
      // More than once: the kernel may have had room for some of them until now.
      clock.advance(SEND_PATIENCE_MS);
      return (await bad.get(path)).status === 200;
    });
  });
}

test(`slow readers in all ${DOWNLOADS_MAX.all} places do not keep a workspace from its results`, {
  timeout: 600_000,
  skip: LONG ? false : 'at full scale; test/http/slow-readers has the rule',
}, async (t) => {
  const clock = movableClock();
  const { port, caller } = await startForCallers(t, { DECIDER_HTTP_TRANSPORT: 'node' }, { clock });
  const good = caller('good');
  const own = await cancelledBatch(good);
  await until(async () => (await good.get(own)).status === 200);
  const readers: ReturnType<typeof slowReader>[] = [];
  t.teardown(() => {
    for (const { socket } of readers) socket.destroy();
  });
  const batches: { readonly token: string; readonly path: string }[] = [];
  for (let at = 0; at < DOWNLOADS_MAX.all / DOWNLOADS_MAX.key; at += 1) {
    const bad = caller(`bad${at}`);
    const path = await cancelledBatch(bad);
    await until(async () => (await bad.get(path)).status === 200);
    batches.push({ token: bad.token, path });
  }
  // Only now, so that none is disconnected for its pace meanwhile.
  for (const { token, path } of batches)
    readers.push(...Array.from({ length: DOWNLOADS_MAX.key }, () => slowReader(port, token, path)));
  await until(() => readers.every(({ status }) => status() === 200));
  clock.advance(SLOW_AFTER_MS);
  const results = await good.get(own);
  t.equal(results.status, 200);
  t.equal(results.body.split('\n').length, LINES + 1);
  for (const { readAll } of readers) readAll();
  await until(() => readers.some(({ closed }) => closed()));
  t.equal(readers.filter(({ closed }) => closed()).length, 1, 'one of them has lost its place');
});
