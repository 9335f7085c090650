import { MAX_HEADER_BYTES } from '../../src/http/transport/transport-types.js';
import { fakeClock } from '../support/fake-clock.js';
import { RawClient, request, visible } from '../support/http/raw-client.js';
import { onBoth, serve } from '../support/http/serving.js';
import { random, seedFromEnvironment } from '../support/random.js';

onBoth('a megabyte of headers is refused with 431', async (t, transport) => {
  // A pause in the middle of the headers is no reason to close the connection before they have arrived.
  const { client, ask } = await serve(t, transport, undefined, { clock: fakeClock() });
  const padded = (bytes: number) => request('GET', '/health', null, { 'X-Padding': 'x'.repeat(bytes) });
  for (const bytes of [MAX_HEADER_BYTES + 1, 100_000, 1_000_000]) {
    const connection = await client();
    connection.send(padded(bytes));
    const answer = await connection.untilClosed();
    // The library does not wait for the rest: its reset may overtake the answer.
    t.match(answer, transport === 'uws' ? /^(HTTP\/1.1 431 |$)/ : /^HTTP\/1.1 431 /);
  }
  t.equal((await ask(request('GET', '/health'))).status, 200);
});

onBoth('an unknown method in the packet that ends a body', async (t, transport) => {
  const { client } = await serve(t, transport);
  const connection = await client();
  const refused = request('POST', '/nowhere', '{"a":1}');
  await connection.send(refused.slice(0, -7));
  t.equal((await connection.response()).status, 404);
  await connection.send(refused.slice(-7) + request('get', '/health'));
  t.equal((await connection.response()).status, 400);
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
    if (wrong !== undefined && wrong !== 'HTTP/1.1 505') t.fail(`${wrong} to ${visible(bytes)}`);
  }
});
