import { MAX_HEADER_BYTES } from '../../src/http/transport/types.js';
import { random, seedFromEnvironment } from '../helpers/random.js';
import { RawClient, request, visible } from './raw-client.js';
import { onBoth, serve } from './serving.js';

const decide = (headers: Record<string, string | null>) => request('POST', '/v1/decide', '{}', headers);

/** What both transports refuse with 400 and a closed connection, in their own words where they answer alone. */
const REFUSED = [
  decide({ 'Transfer-Encoding': 'chunked' }),
  decide({ 'Transfer-Encoding': 'identity' }),
  decide({ 'Content-Length': '+2' }),
  decide({ 'Content-Length': '2,2' }),
  decide({ 'Content-Length': '0x2' }),
  decide({ 'Content-Length': '99999999999999999999' }),
  decide({ 'Content-Length': '2\r\nContent-Length: 2' }),
  decide({ 'Content-Length': null, 'Transfer-Encoding': 'chunked\r\nTransfer-Encoding: chunked' }),
];

onBoth('ambiguous framing is refused and the connection closes', async (t, transport) => {
  const { client, ask } = await serve(t, transport, () => Promise.reject(new Error('the door was reached')));
  for (const bytes of REFUSED) {
    const connection = await client();
    await connection.send(bytes);
    t.equal((await connection.response()).status, 400, bytes);
    t.equal(await connection.untilClosed(), '');
  }
  t.equal((await ask(request('GET', '/health'))).status, 200);
});

onBoth('headers up to 16 KiB pass, larger ones are refused with 431', async (t, transport) => {
  const { client, ask } = await serve(t, transport);
  const padded = (bytes: number) => request('GET', '/health', null, { 'X-Padding': 'x'.repeat(bytes) });
  t.equal((await ask(padded(MAX_HEADER_BYTES - 500))).status, 200);
  for (const bytes of [MAX_HEADER_BYTES + 1, 100_000, 1_000_000]) {
    const connection = await client();
    connection.send(padded(bytes));
    t.match(await connection.untilClosed(), /^(HTTP\/1.1 431 |$)/, 'a reset may overtake the answer');
  }
  t.equal((await ask(request('GET', '/health'))).status, 200);
});

onBoth('what only one transport makes a request of', async (t, transport) => {
  const { client } = await serve(t, transport);
  for (const [bytes, node, uws] of [
    ['GET /health HTTP/1.0\r\nHost: a\r\n\r\n', 200, 505],
    ['GET /health HTTP/2.0\r\nHost: a\r\n\r\n', 200, 505],
    ['GET http://a/health HTTP/1.1\r\nHost: a\r\n\r\n', 404, 505],
    ['\0\u0001\u0002 noise\r\n\r\n', 400, 505],
    ['get /health HTTP/1.1\r\nHost: a\r\n\r\n', 400, 405],
  ] as const) {
    const connection = await client();
    await connection.send(bytes);
    t.equal((await connection.response()).status, transport === 'node' ? node : uws, bytes);
    connection.destroy();
  }
});

const FRAGMENTS = [
  '\r\n',
  '\n',
  '\r\n\r\n',
  ':',
  ' ',
  '\0',
  '\xff',
  'HTTP/1.1',
  'Content-Length: 5\r\n',
  'chunked',
];
const SEEDS = [
  request('GET', '/health'),
  request('POST', '/v1/decide', '{"state":1}'),
  request('POST', '/v1/decide', '5\r\nabcde\r\n0\r\n\r\n', {
    'Content-Length': null,
    'Transfer-Encoding': 'chunked',
  }),
  request('GET', '/health') + request('HEAD', '/v1/models'),
];

onBoth('500 damaged requests do no harm', async (t, transport) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer, pick } = random(seed);
  const damaged = () => {
    let bytes = pick(SEEDS);
    for (let times = 1 + integer(4); times > 0; times -= 1) {
      const at = integer(bytes.length + 1);
      const cut = integer(3) === 0 ? integer(20) : 0;
      const put = pick([pick(FRAGMENTS), String.fromCharCode(integer(256)), '']);
      bytes = bytes.slice(0, at) + put + bytes.slice(at + cut);
    }
    return Buffer.from(bytes, 'latin1');
  };
  const { ask, port, unexpected } = await serve(t, transport);
  for (let round = 0; round < 50; round += 1) {
    await Promise.all(Array.from({ length: 10 }, () => sendAndLeave(damaged())));
    const health = await ask(request('GET', '/health'));
    if (health.status !== 200) t.fail(`the server answers ${health.status} after round ${round}`);
  }
  t.strictSame(unexpected, []);

  async function sendAndLeave(bytes: Buffer): Promise<void> {
    const connection = await RawClient.connect(port);
    await connection.send(bytes);
    connection.socket.end();
    const answer = await connection.untilClosed();
    const wrong = /^HTTP\/1\.1 5\d\d/m.exec(answer)?.[0];
    const own = transport === 'uws' && wrong === 'HTTP/1.1 505';
    if (wrong !== undefined && !own) t.fail(`${wrong} to ${visible(bytes)}`);
  }
});
