import type { LookupAddress } from 'node:dns';
import { type Test, test } from 'tap';
import { type ApiError, LIMITS } from '../../../src/api/index.js';
import { callWebhook, checkWebhookAddress } from '../../../src/batch/index.js';
import { guardedLookup, PRIVATE_DOMAINS, type WebhookGuard } from '../../../src/batch/webhook/guard.js';
import { HOSTS, NOT_PUBLIC, PUBLIC } from '../../support/batch/addresses.js';
import { answer, HOST, localGuard, Receiver } from '../../support/batch/receiver.js';
import { read } from '../../support/pages.js';

const DONE = { id: 'batch_0123456789abcdefghijklmn', status: 'done' } as const;
const NAME = 'hooks.example.com';

/** A guard whose DNS gives the answers one after the other, the last one for ever. */
function answering(...answers: (readonly string[])[]) {
  let asked = 0;
  const resolve = async () => answers[Math.min(asked++, answers.length - 1)] as readonly string[];
  return { ...localGuard({ resolve }), asked: () => asked };
}

const atSubmission = (address: string, guard: WebhookGuard): Promise<string> =>
  checkWebhookAddress(address, guard).then(
    () => 'allowed',
    (error: ApiError) => `refused ${error.status} ${error.type}`,
  );

const atConnect = (guard: WebhookGuard, all = true): Promise<string | LookupAddress[]> =>
  new Promise((resolve) =>
    guardedLookup(guard)(NAME, { all }, (error, addresses) =>
      resolve(error === null ? addresses : 'refused'),
    ),
  );

const REFUSED = 'refused 422 invalid_webhook_url';
const inUrl = (address: string) => (address.includes(':') ? `https://[${address}]/` : `https://${address}/`);
const family = (address: string) => (address.includes(':') ? 6 : 4);

test('the tables are long enough to mean something', async (t) => {
  const count = PUBLIC.length + Object.values(NOT_PUBLIC).flat().length;
  t.ok(count >= 100, `${count} addresses`);
  t.ok(HOSTS.allowed.length + HOSTS.refused.length >= 80);
});

test('a public address is allowed: in the URL, in DNS, when connecting', async (t) => {
  for (const address of PUBLIC) {
    const entry = { address, family: family(address) };
    t.equal(await atSubmission(inUrl(address), answering([])), 'allowed', address);
    t.equal(await atSubmission(`https://${NAME}/`, answering([address])), 'allowed', address);
    t.strictSame(await atConnect(answering([address])), [entry], address);
    t.equal(await atConnect(answering([address]), false), address);
    const other = { address: '1.0.0.1', family: 4 };
    t.strictSame(await atConnect(answering(['1.0.0.1', address])), [other, entry], address);
  }
});

for (const [kind, addresses] of Object.entries(NOT_PUBLIC)) {
  test(`an address that is ${kind} is refused, alone, among others, and when DNS changes its answer`, async (t) => {
    for (const address of addresses) {
      const isLiteral = kind !== 'no address';
      if (isLiteral) t.equal(await atSubmission(inUrl(address), answering(['8.8.8.8'])), REFUSED, address);
      for (const dns of [[address], ['8.8.8.8', address], [address, '8.8.8.8']]) {
        t.equal(await atSubmission(`https://${NAME}/`, answering(dns)), REFUSED, address);
        const changing = answering(['8.8.8.8'], dns);
        t.equal(await atSubmission(`https://${NAME}/`, changing), 'allowed');
        t.equal(await atConnect(changing), 'refused', address);
      }
    }
  });
}

test('every spelling of a host is recognized', async (t) => {
  for (const host of HOSTS.allowed) {
    t.equal(await atSubmission(`https://${host}/`, answering(['8.8.8.8'])), 'allowed', host);
  }
  for (const host of HOSTS.refused) {
    const guard = answering(['8.8.8.8']);
    t.equal(await atSubmission(`https://${host}/`, guard), REFUSED, host);
    t.equal(guard.asked(), 0, `${host} is not looked up`);
  }
});

const HERE = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '１２７.0.0.1',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  'localhost',
  'localhost.',
  'app.localhost',
];

test('a call does not connect to this machine, however the address is written', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  for (const host of HERE) {
    const guard = localGuard({ allowedHosts: new Set() });
    t.equal(await callWebhook(receiver.address('/', host), DONE, guard), 'address_not_public', host);
  }
  t.equal(receiver.connections, 0);
});

test('a name that was public at submission and resolves to this machine at the call is not connected to', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  const address = receiver.address('/', NAME);
  for (const dns of [['127.0.0.1'], ['::ffff:127.0.0.1'], ['8.8.8.8', '127.0.0.1']]) {
    const guard = answering(['8.8.8.8'], dns);
    t.equal(await atSubmission(address, guard), 'allowed');
    t.equal(await callWebhook(address, DONE, guard), 'address_not_public', dns.join());
    t.equal(guard.asked(), 2, 'DNS is asked once for the call: its answer is checked and connected to');
  }
  t.equal(receiver.connections, 0);
});

test('only the hosts that are allowed by name may be private, at submission and at the call', async (t) => {
  const receiver = await Receiver.start(t, (socket) => socket.write(answer(200)));
  for (const [host, allowed, expected] of [
    [HOST, HOST, 'delivered'],
    [HOST, 'other.test', 'address_not_public'],
    [HOST, 'test', 'address_not_public'],
    [`a.${HOST}`, HOST, 'address_not_public'],
  ] as const) {
    const guard = localGuard({ allowedHosts: new Set([allowed]) });
    const address = receiver.address('/', host);
    t.equal(await atSubmission(address, guard), expected === 'delivered' ? 'allowed' : REFUSED, host);
    t.equal(await callWebhook(address, DONE, guard), expected, host);
  }
  t.equal(receiver.connections, 1);
  const literals = localGuard({ allowedHosts: new Set(['10.0.0.1', 'fd00::1']) });
  t.equal(await atSubmission('https://10.1/', literals), 'allowed');
  t.equal(await atSubmission('https://[FD00:0::1]/', literals), 'allowed');
  t.equal(await atSubmission('https://10.0.0.2/', literals), REFUSED);
});

async function message(t: Test, address: string, guard: WebhookGuard): Promise<string> {
  const error = await checkWebhookAddress(address, guard).then(
    () => t.fail('refused'),
    (error: ApiError) => error.message,
  );
  return String(error);
}

test('the error is the same whether an address is private or a name not found: it reveals nothing about the internal DNS', async (t) => {
  const failing = localGuard({ resolve: () => Promise.reject(new Error('queryA EREFUSED hooks')) });
  const silent = localGuard({ resolve: () => new Promise(() => {}) });
  const late = message(t, `https://${NAME}/`, silent);
  await silent.clock.armed();
  silent.clock.advance(LIMITS.webhookTimeoutMs);
  const messages = await Promise.all([
    message(t, `https://${NAME}/`, answering(['10.1.2.3'])),
    message(t, `https://${NAME}/`, answering(['8.8.8.8', '::1'])),
    message(t, `https://${NAME}/`, answering([])),
    message(t, `https://${NAME}/`, failing),
    message(t, 'https://10.1.2.3/', failing),
    late,
  ]);
  t.equal(new Set(messages).size, 1);
  t.notMatch(messages[0], /\d|EREFUSED|hooks|internal/);
  t.match(messages[0], 'public');
});

test('a name that is refused without DNS has an error of its own, and the page lists the domains', async (t) => {
  const failing = localGuard({ resolve: () => Promise.reject(new Error('queryA EREFUSED hooks')) });
  for (const host of ['intranet', 'db.internal', 'internal']) {
    t.match(
      await message(t, `https://${host}/`, failing),
      /two labels or more, .* webhook\.allowed_hosts\.$/,
    );
  }
  const listed = /^- Names .* are refused without asking DNS: (.+)\.$/m.exec(read('docs/batches.md'))?.[1];
  t.strictSame(listed?.match(/(?<=`)[a-z.]+(?=`)/g), PRIVATE_DOMAINS);
});

test('the signal aborts when a lookup takes too long', async (t) => {
  const signals: AbortSignal[] = [];
  const resolve = (_: string, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<readonly string[]>(() => {});
  };
  const guard = localGuard({ resolve });
  const result = atSubmission(`https://${NAME}/`, guard);
  await guard.clock.armed();
  guard.clock.advance(LIMITS.webhookTimeoutMs - 1);
  t.strictSame(
    signals.map(({ aborted }) => aborted),
    [false],
  );
  guard.clock.advance(1);
  t.equal(await result, REFUSED);
  t.equal(signals[0]?.aborted, true);
});

test('DNS has until the timeout of a call, and leaves no timer', async (t) => {
  let found = (_addresses: readonly string[]) => {};
  const guard = localGuard({ resolve: () => new Promise((resolve) => (found = resolve)) });
  const result = atSubmission(`https://${NAME}/`, guard);
  await guard.clock.armed();
  guard.clock.advance(LIMITS.webhookTimeoutMs - 1);
  found(['8.8.8.8']);
  t.equal(await result, 'allowed');
  t.equal(guard.clock.timers(), 0);
});
