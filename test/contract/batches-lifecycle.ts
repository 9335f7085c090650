import { CHANGES } from '../../src/access/index.js';
import { createKey } from '../support/access/folder-changes.js';
import {
  BatchKey,
  hold,
  line,
  lines,
  newKey,
  outcomes,
  TOO_LONG,
  tokensOfLine,
} from '../support/contract/batch-calls.js';
import { PRICES, type Reply, type Service } from '../support/contract/service.js';
import { type ContractTest, rule } from '../support/contract/suite.js';
import { until } from '../support/until.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
/** The batch price per token of the default model. */
const PRICE = PRICES['decider-g-12b'] / 2n;

/** Advances the server's clock in steps, so that it checks keys, windows and credit in between. */
async function pass({ clock }: Service, ms: number, steps = 1): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    clock.advance(ms / steps);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const status = async (batches: BatchKey, id: string) => (await batches.show(id)).json.status;
const conflict = ({ status: code, json, headers }: Reply) => [code, json.type, headers.get('x-should-retry')];

/** What the workspace was charged, in tokens. */
async function charged({ administration }: Service, workspace: string): Promise<number> {
  const { books } = await administration.reconcile();
  return Number((books.find((each) => each.workspace === workspace)?.charged ?? 0n) / PRICE);
}

/** Stops a batch while its first lines are in the engine: those are answered and billed, the others read `type`. */
async function stopped(
  t: Parameters<ContractTest['run']>[0],
  service: Service,
  { batches, workspace }: Awaited<ReturnType<typeof newKey>>,
  id: string,
  type: string,
): Promise<void> {
  service.engine.open();
  const results = await batches.collected(id);
  const answered = results.filter((each) => each.status === 200);
  t.ok(answered.length > 0 && answered.length < results.length, 'those in progress return');
  const rest = results.filter((each) => each.status !== 200);
  for (const { status: code, response, error, usage, model } of rest) {
    t.strictSame([code, response, error?.type, model], [null, undefined, type, 'decider-g-12b']);
    t.strictSame(usage, { input_tokens: 0, output_tokens: 0, batch: true });
  }
  const { counts } = (await batches.show(id)).json;
  t.strictSame(counts, { done: answered.length, failed: rest.length, pending: 0 });
  const tokens = answered.length * (await tokensOfLine(service));
  await until(async () => (await charged(service, workspace)) === tokens);
  t.strictSame((await service.administration.reconcile()).problems, []);
}

/** Contract 3. */
export const BATCHES_LIFECYCLE: readonly ContractTest[] = [
  rule('3 queued, running, done: from the first line to the last', async (t, service) => {
    const { batches } = await newKey(service, 'life-done');
    hold(t, service);
    const id = await batches.made([...lines(9), line('long', { questions: TOO_LONG })]);
    const second = await batches.made(lines(2));
    await until(async () => (await status(batches, id)) === 'running');
    t.equal(await status(batches, second), 'queued', 'no line of it has started');
    t.strictSame(conflict(await batches.results(id)), [409, 'batch_not_finished', 'false']);
    service.engine.open();
    const done = await batches.finished(id);
    t.strictSame([done.status, done.reason], ['done', null], 'also where a line was refused');
    t.strictSame(conflict(await batches.cancel(id)), [409, 'batch_finished', 'false']);
    t.strictSame((await batches.show(id)).json, done, 'unchanged');
    await batches.finished(second);
  }),
  rule('3 failed: no line was answered', async (t, service) => {
    const { batches } = await newKey(service, 'life-failed');
    const id = await batches.made(['a', 'b'].map((each) => line(each, { questions: TOO_LONG })));
    const failed = await batches.finished(id);
    t.strictSame([failed.status, failed.counts.failed], ['failed', 2]);
    t.type(failed.reason, 'string');
    t.strictSame(outcomes(await batches.collected(id)), ['invalid_question', 'invalid_question']);
    t.strictSame(conflict(await batches.cancel(id)), [409, 'batch_finished', 'false']);
  }),
  rule('3 cancelled: lines in progress finish and are billed, no other starts', async (t, service) => {
    const owner = await newKey(service, 'life-cancelled');
    const { batches } = owner;
    hold(t, service);
    const id = await batches.made(lines(12));
    await service.engine.held();
    const reply = await batches.cancel(id);
    t.strictSame([reply.status, reply.json.status], [200, 'cancelled']);
    t.equal(reply.json.results_available, false);
    t.strictSame(conflict(await batches.results(id)), [409, 'batch_not_finished', 'false'], 'for a moment');
    t.strictSame(
      [(await batches.cancel(id)).status, await status(batches, id)],
      [200, 'cancelled'],
      'no error',
    );
    await stopped(t, service, owner, id, 'cancelled');
    t.strictSame([(await batches.cancel(id)).status, await status(batches, id)], [200, 'cancelled']);
    t.equal((await batches.show(id)).json.reason, null);
  }),
  rule('3 cancelled: a queued batch', async (t, service) => {
    const { batches } = await newKey(service, 'life-cancelled-queued');
    hold(t, service);
    await batches.made(lines(9));
    await service.engine.held();
    const id = await batches.made(lines(3));
    t.equal(await status(batches, id), 'queued');
    const { json } = await batches.cancel(id);
    t.strictSame([json.status, json.started_at], ['cancelled', null]);
    // On a database, nodes give their chunks back first.
    if (service.place === 'folder') t.equal(json.results_available, true);
    t.strictSame(outcomes(await batches.collected(id)), ['cancelled', 'cancelled', 'cancelled']);
  }),
  rule('3 window: after 24 hours lines in progress finish, the others read expired', async (t, service) => {
    const owner = await newKey(service, 'life-expired');
    const { batches } = owner;
    hold(t, service);
    const id = await batches.made(lines(12));
    await service.engine.held();
    await pass(service, DAY_MS - 60 * SECOND_MS);
    t.strictSame(await status(batches, id), 'running', 'a minute before its end');
    await pass(service, 60 * SECOND_MS);
    await stopped(t, service, owner, id, 'expired');
    const { status: end, reason } = (await batches.show(id)).json;
    t.strictSame([end, reason], ['done', null], 'with an answer it is done');
  }),
  rule('3 window: a batch without an answer fails', async (t, service) => {
    const { batches, workspace } = await newKey(service, 'life-expired-whole');
    hold(t, service);
    const other = (await newKey(service, 'life-expired-other')).batches;
    const before = await other.made(lines(9));
    await service.engine.held();
    const id = await batches.made(lines(3));
    await service.administration.change(CHANGES.changeWorkspace(workspace, { budget: 0n }));
    service.engine.open();
    await other.finished(before);
    await pass(service, DAY_MS + SECOND_MS);
    const failed = await batches.finished(id);
    t.strictSame([failed.status, failed.reason, failed.started_at], ['failed', 'expired', null]);
    t.strictSame(outcomes(await batches.collected(id)), ['expired', 'expired', 'expired']);
  }),
  rule('3 key revoked: the batch fails, and its results cannot be collected', async (t, service) => {
    const { store, administration } = service;
    const { batches, workspace, key } = await newKey(service, 'life-revoked');
    hold(t, service);
    const id = await batches.made(lines(12));
    await service.engine.held();
    await administration.change(CHANGES.revokeKey(key));
    await pass(service, 2 * SECOND_MS);
    service.engine.open();
    t.equal((await batches.show(id)).status, 401);
    t.equal((await batches.results(id)).status, 401);
    const row = () => store.table('batches').get(id);
    await until(() => row()?.finished !== null);
    t.match(row(), { state: 'failed', reason: 'key_revoked' });
    const { done = 0, failed = 0 } = row() ?? {};
    t.ok(done > 0 && failed > 0, 'those in progress have returned');
    await until(async () => (await charged(service, workspace)) > 0);
    t.equal(await charged(service, workspace), done * (await tokensOfLine(service)), 'and are billed');
    const other = new BatchKey(service, (await administration.change(CHANGES.createKey(workspace))).token);
    t.equal((await other.results(id)).json.type, 'batch_not_found');
  }),
  rule(
    '3 workspace closed: the same as revoked, and a reopened one keeps what has ended',
    async (t, service) => {
      const { store, administration } = service;
      const { batches, workspace, key } = await newKey(service, 'life-closed');
      hold(t, service);
      const id = await batches.made(lines(12));
      await service.engine.held();
      await administration.change(CHANGES.closeWorkspace(workspace));
      await pass(service, 2 * SECOND_MS);
      service.engine.open();
      t.equal((await batches.show(id)).status, 401);
      await until(() => store.table('batches').get(id)?.finished !== null);
      t.match(store.table('batches').get(id), { key, state: 'failed', reason: 'key_revoked' });
      t.equal((await batches.submit(lines(1))).status, 401, 'no new ones');
      await administration.change(CHANGES.reopenWorkspace(workspace));
      t.match((await batches.show(id)).json, { status: 'failed', reason: 'key_revoked' });
      await batches.made(lines(1));
    },
  ),
  rule('3 deletion: the operator erases a batch; its id answers 404 from then on', async (t, service) => {
    const { administration } = service;
    const { batches } = await newKey(service, 'life-erased');
    const finished = await batches.made(lines(2));
    await batches.finished(finished);
    hold(t, service);
    const open = await batches.made(lines(3));
    await service.engine.held();
    for (const id of [finished, open]) await administration.change(CHANGES.eraseBatch(id));
    await pass(service, 2 * SECOND_MS);
    for (const id of [finished, open]) {
      await until(async () => (await batches.show(id)).status === 404);
      for (const { status, json } of [await batches.results(id), await batches.cancel(id)])
        t.strictSame([status, json.type], [404, 'batch_not_found']);
    }
    t.strictSame((await batches.list()).json.data, []);
    service.engine.open();
  }),
  rule('3 key expired: the same as revoked', async (t, service) => {
    const { store, clock } = service;
    const { workspace } = await newKey(service, 'life-key-expires');
    const { key, token } = createKey(store, clock, workspace, clock.now() + HOUR_MS);
    const batches = new BatchKey(service, token);
    hold(t, service);
    const id = await batches.made(lines(12));
    await service.engine.held();
    await pass(service, HOUR_MS + SECOND_MS);
    service.engine.open();
    t.equal((await batches.show(id)).status, 401);
    await until(() => store.table('batches').get(id)?.finished !== null);
    t.match(store.table('batches').get(id), { key: key.id, state: 'failed', reason: 'key_revoked' });
  }),
  rule('3 key paused: no line starts without credit; new credit runs the rest', async (t, service) => {
    const { administration, engine } = service;
    const tokens = await tokensOfLine(service);
    for (const [workspace, pause, resume, type] of [
      [
        'life-credit',
        () => administration.change(CHANGES.grantCredit('life-credit', 3n * BigInt(tokens) * PRICE)),
        () => administration.change(CHANGES.grantCredit('life-credit', 10n ** 12n)),
        'out_of_credit',
      ],
      [
        'life-budget',
        async () => {
          await administration.change(CHANGES.grantCredit('life-budget', 10n ** 12n));
          await administration.change(
            CHANGES.changeWorkspace('life-budget', { budget: 3n * BigInt(tokens) * PRICE }),
          );
        },
        () => administration.change(CHANGES.changeWorkspace('life-budget', { budget: null })),
        'budget_exceeded',
      ],
    ] as const) {
      const { batches } = await newKey(service, workspace, 0);
      await pause();
      hold(t, service);
      const id = await batches.made(lines(20));
      const counts = async () => (await batches.show(id)).json.counts;
      await until(async () => {
        engine.release();
        return (await counts()).done >= 3;
      });
      engine.open();
      await pass(service, 10 * SECOND_MS, 10);
      t.equal((await batches.submit(lines(1))).json.type, type);
      await pass(service, 10 * SECOND_MS, 10);
      const { done } = await counts();
      t.equal(done, 3, 'exactly what the credit covers');
      t.equal(await status(batches, id), 'running', 'it waits');
      await until(async () => (await charged(service, workspace)) === (await counts()).done * tokens);
      await resume();
      await pass(service, 2 * SECOND_MS);
      t.strictSame(new Set(outcomes(await batches.collected(id))), new Set(['answered']));
      await until(async () => (await charged(service, workspace)) === 20 * tokens);
    }
  }),
  rule('5 rule 9: lines of a withdrawn model fail, unbilled', async (t, service) => {
    const { administration } = service;
    const { batches, workspace } = await newKey(service, 'life-withdrawn');
    hold(t, service);
    const models = ['decider-g-12b', 'decider-g-31b'];
    const id = await batches.made(
      Array.from({ length: 20 }, (_, at) => line(`l${at}`, { model: models[at % 2] })),
    );
    await service.engine.held();
    await administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-12b'] }));
    await pass(service, 2 * SECOND_MS);
    service.engine.open();
    const results = await batches.collected(id);
    const smaller = results.filter((_, at) => at % 2 === 0);
    t.strictSame(new Set(outcomes(smaller)), new Set(['answered']));
    const withdrawn = results.filter(({ error }) => error?.type === 'model_not_allowed');
    t.ok(withdrawn.length > 5, 'but for what was in progress');
    for (const { status: code, model, response, usage } of withdrawn) {
      t.strictSame([code, model, response, usage.input_tokens], [null, 'decider-g-31b', undefined, 0]);
    }
    const { status: end, counts } = (await batches.show(id)).json;
    t.strictSame([end, counts.failed], ['done', withdrawn.length]);
    await until(async () => (await administration.reconcile()).problems.length === 0);
  }),
  rule('3 tries: five in all, with growing waits', async (t, service) => {
    const { engine, clock } = service;
    t.teardown(() => engine.open());
    for (const [faults, outcome] of [
      [4, 'answered'],
      [5, 'internal_error'],
    ] as const) {
      const { batches, workspace } = await newKey(service, `life-tries-${faults}`);
      const before = engine.started;
      engine.faults.push(...Array.from({ length: faults }, () => new Error('a fault of the test')));
      const start = clock.monotonic();
      const id = await batches.made(lines(1));
      await until(async () => {
        clock.advance(500);
        return (await batches.show(id)).json.results_available;
      });
      const seconds = (clock.monotonic() - start) / SECOND_MS;
      t.ok(seconds > 11, `${seconds} s: about 1, 2, 4 and 8`);
      t.equal(engine.started - before, 5);
      const [result] = await batches.collected(id);
      t.strictSame(outcomes([result as NonNullable<typeof result>]), [outcome]);
      const tokens = faults === 4 ? await tokensOfLine(service) : 0;
      t.equal(result?.usage.input_tokens, tokens);
      await until(async () => (await charged(service, workspace)) === tokens);
    }
  }),
  rule('7.3 others: a model that stays unavailable for five tries', async (t, service) => {
    const { engine, clock } = service;
    const { batches, workspace } = await newKey(service, 'life-unavailable');
    t.teardown(() => engine.open());
    engine.missing.add('decider-g-12b-20260101');
    const id = await batches.made([...lines(2), line('other', { model: 'decider-g-31b' })]);
    await until(async () => {
      clock.advance(500);
      return (await batches.show(id)).json.results_available;
    });
    const results = await batches.collected(id);
    t.strictSame(outcomes(results), ['model_unavailable', 'model_unavailable', 'answered']);
    for (const { usage, response } of results.slice(0, 2)) {
      t.strictSame([usage.input_tokens, response], [0, undefined]);
    }
    t.equal((await batches.show(id)).json.status, 'done');
    engine.open();
    const tokens = BigInt(await tokensOfLine(service)) * (PRICES['decider-g-31b'] / 2n);
    await until(
      async () =>
        (await service.administration.reconcile()).books.find((each) => each.workspace === workspace)
          ?.charged === tokens,
    );
  }),
];
