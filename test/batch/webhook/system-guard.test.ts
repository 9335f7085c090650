import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { callWebhook, checkWebhookAddress, systemGuard } from '../../../src/batch/index.js';
import { startNameServer } from '../../support/batch/name-server.js';
import { answer, HOST, localGuard, Receiver } from '../../support/batch/receiver.js';
import { fakeClock } from '../../support/fake-clock.js';

const V6 = [0x26, 0x06, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11];
/** Waits for ever. */
const PATIENT = new AbortController().signal;
const RECORDS = {
  'both.example.com': {
    A: [
      [8, 8, 8, 8],
      [8, 8, 4, 4],
    ],
    AAAA: [V6],
  },
  'four.example.com': { A: [[8, 8, 8, 8]] },
  'six.example.com': { AAAA: [V6] },
  'mixed.example.com': {
    A: [
      [8, 8, 8, 8],
      [10, 0, 0, 1],
    ],
    AAAA: [V6],
  },
  localhost: { A: [[8, 8, 8, 8]] },
};

test('the name servers are asked for all addresses of a name, of both families', async (t) => {
  const guard = systemGuard(new Set(), fakeClock(), [await startNameServer(t, RECORDS)]);
  const found = async (name: string) => [...(await guard.resolve(name, PATIENT))].sort();
  t.strictSame(await found('both.example.com'), ['2606:4700:4700::1111', '8.8.4.4', '8.8.8.8']);
  t.strictSame(await found('four.example.com'), ['8.8.8.8']);
  t.strictSame(await found('six.example.com'), ['2606:4700:4700::1111']);
  t.strictSame(await found('none.example.com'), []);
  await checkWebhookAddress('https://both.example.com/', guard);
  for (const name of ['mixed', 'none']) {
    await t.rejects(checkWebhookAddress(`https://${name}.example.com/`, guard), { name: 'ApiError' });
  }
});

test('a host that is allowed by name is looked up as the system does, in /etc/hosts too', async (t) => {
  const server = await startNameServer(t, RECORDS);
  const open = systemGuard(new Set(['localhost']), fakeClock(), [server]);
  const addresses = await open.resolve('localhost', PATIENT);
  t.ok(addresses.length > 0 && addresses.every((address) => ['127.0.0.1', '::1'].includes(address)));
  await checkWebhookAddress('https://localhost/', open);
  const closed = systemGuard(new Set(), fakeClock(), [server]);
  t.strictSame(
    await closed.resolve('localhost', PATIENT),
    ['8.8.8.8'],
    'any other is asked of the name servers',
  );
});

test('a call finds its host over the name servers, and connects to nothing private that they name', async (t) => {
  const server = await startNameServer(t, {
    [HOST]: { A: [[127, 0, 0, 1]] },
    'rebind.example.com': { A: [[127, 0, 0, 1]] },
  });
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  const guard = systemGuard(new Set(), fakeClock(), [server]);
  const batch = { id: 'batch_0123456789abcdefghijklmn', status: 'done' } as const;
  t.equal(await callWebhook(receiver.address('/', 'rebind.example.com'), batch, guard), 'address_not_public');
  t.equal(receiver.connections, 0);
  const named = localGuard({ resolve: guard.resolve });
  t.equal(await callWebhook(receiver.address(), batch, named), 'delivered');
});

test('a query to a silent name server is cancelled when its result is no longer needed', async (t) => {
  const silent = createSocket('udp4');
  t.teardown(() => silent.close());
  silent.bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const clock = fakeClock();
  const guard = systemGuard(new Set(), clock, [`127.0.0.1:${silent.address().port}`]);
  const asked = once(silent, 'message');
  let found: Promise<readonly string[]> | undefined;
  const resolve = (host: string, signal: AbortSignal) => {
    found = guard.resolve(host, signal);
    return found;
  };
  const checked = checkWebhookAddress('https://slow.example.com/', { ...guard, resolve }).catch(
    () => 'refused',
  );
  await asked;
  clock.advance(LIMITS.webhookTimeoutMs);
  t.equal(await checked, 'refused');
  t.strictSame(await found, [], 'its queries have ended too');
});

test('concurrent system lookups of one host are one lookup', async (t) => {
  const answers: Array<(addresses: string[]) => void> = [];
  const askSystem = () => new Promise<string[]>((resolve) => answers.push(resolve));
  const guard = systemGuard(new Set(['a.corp', 'b.corp']), fakeClock(), [], askSystem);
  const all = ['a.corp', 'a.corp', 'b.corp', 'a.corp'].map((host) => guard.resolve(host, PATIENT));
  t.equal(answers.length, 2);
  for (const answer of answers) answer(['10.0.0.1']);
  for (const found of all) t.strictSame(await found, ['10.0.0.1']);
  void guard.resolve('a.corp', PATIENT);
  t.equal(answers.length, 3, 'the next one is asked anew');
});
