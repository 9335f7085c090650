import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/storage/folder/index.js';
import { answer, Receiver } from '../support/batch/receiver.js';
import { hold, line, lines, newKey, TOO_LONG } from '../support/contract/batch-calls.js';
import { RECEIVER_HOST, type Service } from '../support/contract/service.js';
import { type ContractTest, rule } from '../support/contract/suite.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

type Test = Parameters<ContractTest['run']>[0];

/** A receiver that the server may call and trusts. It answers with these statuses in order, then repeats the last. */
async function receiver(
  t: Test,
  { certificate }: Pick<Service, 'certificate'>,
  ...statuses: readonly number[]
) {
  let calls = 0;
  const made = await Receiver.start(
    t,
    (socket) => {
      const status = statuses[Math.min(calls, statuses.length - 1)] as number;
      calls += 1;
      socket.end(
        answer(status, ...(status >= 300 && status < 400 ? ['location: https://localhost/other'] : [])),
      );
    },
    certificate,
  );
  return {
    /** The requests received, as they were sent. */
    requests: made.requests,
    address: (path?: string) => made.address(path, RECEIVER_HOST),
  };
}

const to = (address: string) => ({ 'service-webhook-url': address });
const bodyOf = (request: string | undefined) => JSON.parse(request?.split('\r\n\r\n')[1] ?? 'null');

/** Moves the clock to each attempt's time; resolves when the server has made so many. */
async function attempted({ clock }: Pick<Service, 'clock'>, store: Store, id: string, count: number) {
  await until(() => {
    const { attempts = 0, due = null } = store.table('batches').get(id)?.webhook ?? {};
    if (attempts >= count) return true;
    // Time must not pass during an attempt.
    if (attempts > 0 && due !== null && due > clock.now()) clock.advance(due - clock.now());
    return false;
  });
}

/** Contract 6 and contract 2.10. */
export const BATCHES_WEBHOOK: readonly ContractTest[] = [
  rule('6 event: one POST of id and status when a batch is done, failed or cancelled', async (t, service) => {
    const { batches } = await newKey(service, 'webhook-event');
    const { requests, address } = await receiver(t, service, 200);
    const done = await batches.made(lines(2), to(address('/done?with=query&q=%20')));
    t.match((await batches.show(done)).json, { webhook: true });
    await until(() => requests.length === 1);
    const failed = await batches.made([line('a', { questions: TOO_LONG })], to(address('/failed')));
    await until(() => requests.length === 2);
    hold(t, service);
    const cancelled = await batches.made(lines(12), to(address('/cancelled')));
    await service.engine.held();
    await batches.cancel(cancelled);
    t.equal(requests.length, 2, 'not before the lines in progress are back');
    service.engine.open();
    await until(() => requests.length === 3);
    for (const [at, id, status, path] of [
      [0, done, 'done', '/done?with=query&q=%20'],
      [1, failed, 'failed', '/failed'],
      [2, cancelled, 'cancelled', '/cancelled'],
    ] as const) {
      const request = requests[at] ?? '';
      t.ok(request.startsWith(`POST ${path} HTTP/1.1\r\n`));
      t.match(request, /\r\ncontent-type: application\/json\r\n/i);
      t.strictSame(bodyOf(request), { id, status }, 'contract 2.10: nothing else');
      const { json } = await batches.show(id);
      t.strictSame(
        [json.status, json.results_available],
        [status, true],
        'the receiver can collect the results at once',
      );
    }
    // Time must not pass during an attempt.
    for (const id of [done, failed, cancelled])
      await until(async () => (await batches.show(id)).json.webhook_delivery?.status === 'delivered');
    for (const seconds of [60, 600]) service.clock.advance(seconds * 1_000);
    t.equal(requests.length, 3, 'each is delivered once');
  }),
  rule('6 rule 1: the address is optional', async (t, service) => {
    const { batches } = await newKey(service, 'webhook-none');
    const id = await batches.made(lines(1));
    t.match(await batches.finished(id), { webhook: false, webhook_delivery: null });
  }),
  rule('6 rule 2: the call carries no results, no token and no signature', async (t, service) => {
    const { batches, token } = await newKey(service, 'webhook-bare');
    const { requests, address } = await receiver(t, service, 204);
    await batches.made(lines(1), to(address()));
    await until(() => requests.length === 1);
    const names = (requests[0] ?? '')
      .split('\r\n\r\n')[0]
      ?.split('\r\n')
      .slice(1)
      .map((each) => each.split(':')[0]?.toLowerCase());
    t.strictSame(
      new Set(names),
      new Set(['host', 'connection', 'content-type', 'user-agent', 'content-length']),
    );
    t.notMatch(requests[0], token);
  }),
  rule(
    '6 rule 3: three attempts unless the status is 2xx; redirects are not followed',
    async (t, service) => {
      const { batches } = await newKey(service, 'webhook-retries');
      for (const statuses of [[500, 404, 200], [302, 307, 301], [503]]) {
        const { requests, address } = await receiver(t, service, ...statuses);
        const id = await batches.made(lines(1), to(address('/hook')));
        await attempted(service, service.store, id, 1);
        const first = service.clock.now();
        await attempted(service, service.store, id, 3);
        t.ok(service.clock.now() - first > 200_000, 'with growing waits');
        for (let step = 0; step < 20; step += 1) service.clock.advance(60_000);
        t.equal(requests.length, 3);
        for (const request of requests) {
          t.ok(request.startsWith('POST /hook '));
          t.strictSame(bodyOf(request), { id, status: 'done' });
        }
        const { json } = await batches.show(id);
        t.equal(json.status, 'done', 'rule 4: the outcome is there all the same');
        const delivered = statuses[2] === 200;
        t.strictSame(json.webhook_delivery, {
          status: delivered ? 'delivered' : 'failed',
          attempts: 3,
          error: delivered ? null : `status_${statuses[2] ?? statuses[0]}`,
        });
      }
    },
  ),
  rule('6 rule 3: any 2xx counts as delivered', async (t, service) => {
    const { batches } = await newKey(service, 'webhook-delivered');
    for (const status of [200, 202, 299]) {
      const { requests, address } = await receiver(t, service, status);
      const id = await batches.made(lines(1), to(address()));
      await until(() => requests.length === 1);
      await until(() => service.store.table('batches').get(id)?.webhook?.due === null);
      t.strictSame(service.store.table('batches').get(id)?.webhook, { attempts: 1, due: null });
      const { webhook_delivery } = (await batches.show(id)).json;
      t.strictSame(webhook_delivery, { status: 'delivered', attempts: 1, error: null });
    }
  }),
  rule('6 rule 3: a refused connection counts as an attempt', async (t, service) => {
    const { batches } = await newKey(service, 'webhook-refused');
    const id = await batches.made(lines(1), to('https://localhost:1/'));
    await attempted(service, service.store, id, 3);
    t.strictSame(service.store.table('batches').get(id)?.webhook, { attempts: 3, due: null });
    const { status, webhook_delivery } = (await batches.show(id)).json;
    t.equal(status, 'done');
    t.strictSame(webhook_delivery, { status: 'failed', attempts: 3, error: 'no_connection' });
  }),
  rule('6 rule 3: attempts continue after a restart', async (t, service) => {
    const { certificate, clock, transport } = service;
    const environment = {
      DECIDER_DATA: dataFolder(t),
      DECIDER_HTTP_TRANSPORT: transport,
      DECIDER_WEBHOOK_ALLOWED_HOSTS: RECEIVER_HOST,
    };
    const start = () => startTestServer(t, environment, undefined, { clock, authorities: certificate.cert });
    const { requests, address } = await receiver(t, service, 500, 500, 200);
    const first = await start();
    const submitted = await fetch(`${first.url}/v1/batches`, {
      method: 'POST',
      headers: { ...first.headers, 'content-type': 'application/jsonl', ...to(address()) },
      body: line('a', { model: 'tiny' }),
    });
    const { id } = (await submitted.json()) as { id: string };
    const store = openStore(environment.DECIDER_DATA);
    t.teardown(() => store.close());
    await attempted(service, store, id, 1);
    await first.stop();
    clock.advance(1_000);
    t.equal(requests.length, 1, 'no webhook is called while no server runs');
    await start();
    await attempted(service, store, id, 3);
    t.equal(store.table('batches').get(id)?.webhook?.due, null);
    for (const request of requests) t.strictSame(bodyOf(request), { id, status: 'done' });
    t.equal(requests.length, 3);
  }),
  rule(
    '6 rule 5: public https addresses of 2,048 characters without user, password or fragment',
    async (t, service) => {
      const { batches } = await newKey(service, 'webhook-address');
      const base = 'https://localhost/';
      hold(t, service);
      const longest = base.padEnd(2_048, 'a');
      t.equal((await batches.submit(lines(9), to(longest))).status, 200);
      for (const address of [
        `${longest}a`,
        'http://localhost/',
        'ftp://localhost/',
        'localhost',
        '//localhost/',
        'https://',
        'https:localhost',
        'https:/localhost/',
        'https:\\\\localhost/',
        'https:///localhost/',
        'https://[2606:4700:4700::5efe:10.0.0.1]/',
        '',
        'https://user@localhost/',
        'https://user:secret@localhost/',
        'https://:secret@localhost/',
        'https://localhost/#fragment',
        'https://localhost/#',
        'https://127.0.0.1/',
        'https://2130706433/',
        'https://0x7f.1/',
        'https://[::1]/',
        'https://[::ffff:10.0.0.1]/',
        'https://10.0.0.1/',
        'https://192.168.1.1:8443/',
        'https://169.254.169.254/latest',
        'https://100.64.0.1/',
        'https://[fd00::1]/',
        'https://[64:ff9b::a00:1]/',
        'https://0.0.0.0/',
        'https://service.internal/',
        'https://printer.local/',
        'https://host/',
        'https://does-not-exist.invalid/',
      ]) {
        const { status, json } = await batches.submit(lines(1), to(address));
        t.strictSame([status, json.type], [422, 'invalid_webhook_url'], address.slice(0, 40));
      }
      t.equal((await batches.list()).json.data.length, 1, 'nothing is queued');
      const [open] = (await batches.list()).json.data;
      await batches.cancel(open.id);
    },
  ),
  rule('6 rule 6: the address is stored encrypted and never returned', async (t, service) => {
    const { batches } = await newKey(service, 'webhook-sealed');
    const secret = 'an-unmistakable-path';
    const address = `https://localhost:1/${secret}`;
    hold(t, service);
    const made = await batches.submit([line('a', { state: `state-${secret}` }), ...lines(8)], to(address));
    await service.engine.held();
    const logged = service.lines.length;
    for (const { text } of [made, await batches.show(made.json.id), await batches.list()])
      t.notMatch(text, secret);
    const files = readdirSync(service.data, { recursive: true, encoding: 'utf8' });
    for (const file of files.map((each) => join(service.data, each))) {
      if (statSync(file).isFile()) t.notOk(readFileSync(file, 'latin1').includes(secret), file);
    }
    service.engine.open();
    const { text } = await batches.results(made.json.id).then(async () => {
      await batches.finished(made.json.id);
      return batches.results(made.json.id);
    });
    t.notMatch(text, secret);
    t.notMatch(service.lines.slice(logged).join('\n'), secret);
  }),
];
