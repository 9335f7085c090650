import type { Socket } from 'node:net';
import { test } from 'tap';
import { Decider, DeciderError, systemRuntime } from '../../src/client/index.js';
import { chunked, hastyClient, rawStub, refusal, refuses, response } from '../support/client/raw-stub.js';
import { fakeClock } from '../support/fake-clock.js';
import { retainedBytes } from '../support/memory.js';
import { scaled } from '../support/scale.js';

const LINES = Array.from({ length: 4 }, (_, at) => JSON.stringify({ custom_id: `case-${at}`, text: 'é' }));
const BATCH = { id: 'b', lines: 4 };
const TEXT = LINES.map((line) => `${line}\n`).join('');

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test('results that are cut off at any byte: each line comes once', async (t) => {
  const whole = Buffer.from(chunked([TEXT.slice(0, 30), TEXT.slice(30, 31), TEXT.slice(31)]));
  const step = scaled({ short: 3, long: 1 });
  for (let at = 0; at < whole.length; at += step) {
    const { url } = await rawStub(t, whole.subarray(0, at), whole);
    t.strictSame(await all(hastyClient(url).decider.batches.resultLines(BATCH)), LINES, `at ${at}`);
  }
});

test('many cuts with progress are survived; without progress they end', async (t) => {
  const parts = LINES.map((_, at) => chunked([LINES.slice(0, at + 1).join('\n'), '\n'], false));
  const { url } = await rawStub(t, ...parts, chunked([TEXT]));
  t.equal((await all(hastyClient(url).decider.batches.results(BATCH))).length, 4);
  const stuck = await rawStub(t, parts[0] as string);
  await refuses(t, all(hastyClient(stuck.url).decider.batches.results(BATCH)), { type: 'connection_lost' });
  t.equal(stuck.requests.length, 3, 'the first one made progress, two did not');
});

test('a storm of 503 between two parts', async (t) => {
  const busy = refusal('overloaded', '503 Service Unavailable', 'Retry-After: 2\r\n');
  const { url } = await rawStub(t, chunked([`${LINES[0]}\n`], false), busy, chunked([TEXT]));
  const { decider, waits } = hastyClient(url);
  t.equal((await all(decider.batches.results(BATCH))).length, 4);
  t.strictSame(waits.filter((ms) => ms === 2_000).length, 1);
});

test('a connection that ends without a word: noticed by the batch, and within a line', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\n\r\n';
  const short = await rawStub(t, `${head}${LINES[0]}\n`, head + TEXT);
  t.equal((await all(hastyClient(short.url).decider.batches.results(BATCH))).length, 4);
  const torn = await rawStub(t, `${head}${LINES[0]}\n{"cust`, head + TEXT);
  t.equal((await all(hastyClient(torn.url).decider.batches.results(BATCH))).length, 4);
});

test('with an id alone, the number of lines is asked for at the end', async (t) => {
  const [part, whole] = [chunked([`${LINES[0]}\n`]), chunked([TEXT])];
  const batch = response(JSON.stringify({ id: 'b', lines: 4 }));
  const { url, requests } = await rawStub(t, part, batch, whole, batch);
  t.equal((await all(hastyClient(url).decider.batches.results('b'))).length, 4);
  const paths = requests.map((request) => request.split(' ')[1]);
  t.strictSame(paths, ['/v1/batches/b/results', '/v1/batches/b', '/v1/batches/b/results', '/v1/batches/b']);
  const deleted = await rawStub(t, whole, refusal('batch_not_found', '404 Not Found'));
  t.equal((await all(hastyClient(deleted.url).decider.batches.results('b'))).length, 4);
  const away = await rawStub(t, whole, refusal('overloaded', '503 Service Unavailable'));
  await refuses(t, all(hastyClient(away.url).decider.batches.results('b')), { type: 'overloaded' });
});

test('other results after a cut, and lines that are not JSON, are refused', async (t) => {
  const changed = await rawStub(t, chunked([`${LINES[0]}\n`], false), chunked([`${LINES[1]}\n`]));
  await refuses(t, all(hastyClient(changed.url).decider.batches.results(BATCH)), {
    type: 'invalid_response',
  });
  const page = await rawStub(t, chunked(['<html>\n']));
  await refuses(t, all(hastyClient(page.url).decider.batches.results(BATCH)), { type: 'invalid_response' });
  const away = await rawStub(t, refusal('batch_not_found', '404 Not Found'));
  await t.rejects(all(hastyClient(away.url).decider.batches.results(BATCH)), DeciderError);
});

/** Writes lines until the other side closes. */
function endless(socket: Socket, ended: () => void): void {
  socket.on('close', ended);
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const piece = chunked([TEXT], false).split('\r\n\r\n')[1] as string;
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

test('leaving the loop, and a signal, close the connection', async (t) => {
  for (const leave of ['break', 'abort'] as const) {
    let ended = () => {};
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const { url } = await rawStub(t, (socket) => endless(socket, ended));
    const control = new AbortController();
    const read = async () => {
      let count = 0;
      for await (const _ of hastyClient(url).decider.batches.results(BATCH, { signal: control.signal })) {
        count += 1;
        if (count === 10 && leave === 'break') break;
        if (count === 10) control.abort('enough');
      }
    };
    if (leave === 'break') await read();
    else t.equal(await read().catch((error) => error), 'enough');
    await closed;
  }
});

test('huge results take no more memory than small ones', async (t) => {
  const count = scaled({ short: 100_000, long: 300_000 });
  const line = JSON.stringify({ custom_id: 'case', text: 'x'.repeat(500) });
  const { url } = await rawStub(t, (socket) => {
    let left = count;
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const more = () => {
      while (left > 0) {
        left -= 1;
        if (!socket.write(`${line}\n`)) return;
      }
      socket.end();
    };
    socket.on('drain', more);
    more();
  });
  const before = retainedBytes();
  let [seen, most] = [0, 0];
  for await (const _ of hastyClient(url).decider.batches.results({ id: 'b', lines: count })) {
    seen += 1;
    if (seen % 10_000 === 0) most = Math.max(most, retainedBytes() - before);
  }
  t.equal(seen, count);
  t.ok(most < 32 * 1024 * 1024, `${most} bytes are held for ${count * line.length} bytes of results`);
});

test('the time limit does not run while the reader has a line', async (t) => {
  const clock = fakeClock();
  const { url } = await rawStub(t, chunked([TEXT]));
  const decider = new Decider({ url, token: 'dk_test' }, { ...systemRuntime, after: clock.after });
  for await (const _ of decider.batches.results(BATCH)) t.equal(clock.timers(), 0);
});
