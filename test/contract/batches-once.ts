import { gzipSync } from 'node:zlib';
import { CHANGES } from '../../src/access/index.js';
import { hold, lines, newKey, tokensOfLine } from '../support/contract/batch-calls.js';
import { PRICES, type Reply, type Service } from '../support/contract/service.js';
import { type ContractTest, rule } from '../support/contract/suite.js';
import { until } from '../support/until.js';
import { storedFrame } from '../support/zstd.js';

const DAY_MS = 24 * 3_600_000;

const once = (key: string) => ({ 'idempotency-key': key });
const conflict = ({ status, json, headers }: Reply) => [status, json.type, headers.get('x-should-retry')];

/** What refuses a new batch of a workspace, beside its `type`, and the headers of a submission that it refuses. */
interface Refusal {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  begin?(service: Service, workspace: string): Promise<unknown>;
  end?(service: Service, workspace: string): Promise<unknown>;
}

const MUCH = 10n ** 15n;
const change =
  (make: (workspace: string) => Parameters<Service['administration']['change']>[0]) =>
  ({ administration }: Service, workspace: string) =>
    administration.change(make(workspace));

const REFUSALS: readonly Refusal[] = [
  {
    type: 'out_of_credit',
    begin: change((workspace) => CHANGES.grantCredit(workspace, -MUCH)),
    end: change((workspace) => CHANGES.grantCredit(workspace, MUCH)),
  },
  {
    type: 'budget_exceeded',
    begin: change((workspace) => CHANGES.changeWorkspace(workspace, { budget: 0n })),
    end: change((workspace) => CHANGES.changeWorkspace(workspace, { budget: null })),
  },
  { type: 'invalid_webhook_url', headers: { 'service-webhook-url': 'http://a/' } },
  {
    type: 'invalid_batch',
    begin: change((workspace) => CHANGES.changeWorkspace(workspace, { models: ['decider-g-31b'] })),
    end: change((workspace) => CHANGES.changeWorkspace(workspace, { models: null })),
  },
];

/** The `Idempotency-Key` of contract 4.6 rule 8. */
export const BATCHES_ONCE: readonly ContractTest[] = [
  rule('4.6 rule 8: the same key and file make one batch within a day', async (t, service) => {
    const { batches } = await newKey(service, 'once');
    const first = await batches.submit(lines(2), once('a'));
    t.equal(first.status, 200);
    const again = await batches.submit(lines(2), once('a'));
    t.strictSame([again.status, again.json.id], [200, first.json.id]);
    await batches.finished(first.json.id);
    const late = await batches.submit(lines(2), once('a'));
    t.equal(late.json.id, first.json.id, 'also when it has finished');
    t.strictSame(conflict(await batches.submit(lines(3), once('a'))), [409, 'idempotency_conflict', 'false']);
    const other = await batches.made(lines(2), once('b'));
    t.not(other, first.json.id, 'another key, another batch');
    const stranger = (await newKey(service, 'once-other')).batches;
    t.not(await stranger.made(lines(2), once('a')), first.json.id, 'of each API key its own');
    t.equal((await batches.list()).json.data.length, 2);
    service.clock.advance(DAY_MS);
    t.not(await batches.made(lines(3), once('a')), first.json.id);
  }),
  rule('4.6 rule 8: files are compared decompressed', async (t, service) => {
    const { batches } = await newKey(service, 'once-compressed');
    const file = Buffer.from(`${lines(2).join('\n')}\n`);
    const gzip = { ...once('a'), 'content-encoding': 'gzip' };
    const made = await batches.made(gzipSync(file, { level: 9 }), gzip);
    t.equal(await batches.made(gzipSync(file, { level: 1 }), gzip), made);
    t.equal(await batches.made(storedFrame(file), { ...once('a'), 'content-encoding': 'zstd' }), made);
    t.equal(await batches.made(file, once('a')), made);
    t.equal((await batches.submit(gzipSync(lines(3).join('\n')), gzip)).json.type, 'idempotency_conflict');
    const broken = await batches.submit(file, gzip);
    t.strictSame([broken.status, broken.json.type], [400, 'bad_encoding']);
    t.equal((await batches.list()).json.data.length, 1);
  }),
  rule('4.6 rule 8: ten concurrent submissions make one batch', async (t, service) => {
    const { batches, workspace } = await newKey(service, 'once-ten');
    const replies = await Promise.all(Array.from({ length: 10 }, () => batches.submit(lines(3), once('a'))));
    t.strictSame(new Set(replies.map(({ status }) => status)), new Set([200]));
    t.equal(new Set(replies.map(({ json }) => json.id)).size, 1);
    t.equal((await batches.list()).json.data.length, 1);
    await batches.finished(replies[0]?.json.id);
    const cost = 3n * BigInt(await tokensOfLine(service)) * (PRICES['decider-g-12b'] / 2n);
    await until(
      async () =>
        (await service.administration.reconcile()).books.find((each) => each.workspace === workspace)
          ?.charged === cost,
    );
  }),
  rule('4.6 rule 8: a refused submission does not take the value', async (t, service) => {
    const { batches } = await newKey(service, 'once-refused');
    t.equal((await batches.submit(['{'], once('a'))).status, 422);
    hold(t, service);
    for (let count = 0; count < 9; count += 1) await batches.made(lines(4));
    const made = await batches.made(lines(1), once('a'));
    t.equal((await batches.submit(lines(1), once('b'))).status, 429);
    t.equal((await batches.submit(lines(1), once('a'))).json.id, made, 'one that is known is no eleventh');
    for (const key of ['', 'a'.repeat(256)]) {
      const { status, json } = await batches.submit(lines(1), once(key));
      t.strictSame([status, json.type], [400, 'invalid_request']);
    }
    for (const { id: each } of (await batches.list()).json.data) await batches.cancel(each);
    t.equal((await batches.submit(lines(1), once('a'.repeat(255)))).status, 200);
  }),
  rule('4.6 rule 8: a repetition finds its batch, whatever would refuse a new one', async (t, service) => {
    const { batches, workspace } = await newKey(service, 'once-repeated');
    const made = await batches.made(lines(2), once('a'));
    await batches.finished(made);
    for (const { type, headers = {}, begin, end } of REFUSALS) {
      await begin?.(service, workspace);
      const submit = (count: number, key: string) =>
        batches.submit(lines(count), { ...once(key), ...headers });
      t.equal((await submit(2, 'b')).json.type, type, `a new one: ${type}`);
      t.equal((await submit(2, 'a')).json.id, made, `the same again: ${type}`);
      t.strictSame(
        conflict(await submit(3, 'a')),
        [409, 'idempotency_conflict', 'false'],
        `another: ${type}`,
      );
      await end?.(service, workspace);
    }
    t.equal((await batches.submit(lines(2), once('b'))).status, 200, 'a refusal has not taken the value');
  }),
];
