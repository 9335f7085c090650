import {
  hold,
  line,
  lines,
  newKey,
  outcomes,
  type ResultLine,
  TOO_LONG,
  tokensOfLine,
} from '../support/contract/batch-calls.js';
import { BUILDS, PRICES, type Service } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { RawClient, request } from '../support/http/raw-client.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** A variety of requests: answered ones, and one that only the model refuses. */
const REQUESTS: readonly object[] = [
  { state: 'x', questions: ASK },
  {
    state: { b: 1, 10: [], n: 1.5 },
    questions: { '2': { type: 'score', criteria: ['l', null, 'h'] }, a: ASK.q },
  },
  { state: '😀 "quoted"\n', questions: { 'é\n': { type: 'choice', criteria: { b: 'means b', a: null } } } },
  { state: '', questions: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`q${at}`, ASK.q])) },
  { state: 'word '.repeat(300), questions: ASK, image_budget: 70, more: 'unread' },
  { state: 'x', questions: ASK, model: 'decider-g-31b' },
  { state: 'x', questions: ASK, model: BUILDS['decider-g-12b'] },
  { state: 'x', questions: TOO_LONG },
];

/** The JSON text of a result's `response`. */
const responseText = (text: string) => /"response":(.*),"usage":\{[^}]*\}\}$/.exec(text)?.[1];

/** The counters of contract 8 rule 6: what the key used in batches, by model. */
const usageOf = async ({ administration }: Service, workspace: string) =>
  (await administration.usage({ workspace })).filter(({ kind }) => kind === 'batch');

/** Contract 2.7, contract 4.6 `results`, contract 7.3, and the billing of lines. */
const RESULTS: readonly ContractTest[] = [
  rule('2.7 response: the bytes of the live response, refusals included', async (t, service) => {
    const { batches } = await newKey(service, 'results-response');
    const id = await batches.made(REQUESTS.map((each, at) => line(`l${at}`, each)));
    await batches.finished(id);
    const texts = (await batches.results(id)).text.split('\n').slice(0, -1);
    for (const [at, body] of REQUESTS.entries()) {
      const live = await service.post(body);
      const text = texts[at] as string;
      const result: ResultLine = JSON.parse(text);
      t.equal(result.status, live.status);
      if (live.status === 200) {
        t.equal(responseText(text), live.text);
        t.strictSame(result.usage, { ...live.json.usage, batch: true });
        t.equal(result.model, live.json.model);
      } else {
        t.strictSame(result.error, live.json);
        t.strictSame(result.usage, { input_tokens: 0, output_tokens: 0, batch: true });
        t.equal(result.model, 'decider-g-12b', 'the model that the line names');
      }
    }
  }),
  rule(
    '2.7 custom_id, model, status, usage: the shape of a line with a response or an error',
    async (t, service) => {
      const { batches } = await newKey(service, 'results-shape');
      const [answered, refused] = await batches.answered([line('a'), line('b', { questions: TOO_LONG })]);
      t.strictSame(Object.keys(answered ?? {}), ['custom_id', 'model', 'status', 'response', 'usage']);
      t.strictSame(Object.keys(refused ?? {}), ['custom_id', 'model', 'status', 'error', 'usage']);
      t.strictSame([refused?.status, Object.keys(refused?.error ?? {}).sort()], [422, ['error', 'type']]);
      t.equal(refused?.error?.type, 'invalid_question');
      t.match(refused?.error?.error, /context window/);
    },
  ),
  httpRule('4.6 results: JSON Lines in the order of the file, repeatedly', async (t, service) => {
    const { batches } = await newKey(service, 'results-order');
    // More than one chunk of lines; most are cancelled, which takes no time.
    const ids = Array.from({ length: 600 }, (_, at) => `l${at}`);
    hold(t, service);
    const id = await batches.made(ids.map((each, at) => line(each, { state: at % 7 })));
    await until(async () => {
      service.engine.release();
      return (await batches.show(id)).json.counts.done >= 10;
    });
    await batches.cancel(id);
    service.engine.open();
    await batches.finished(id);
    const first = await batches.results(id);
    t.equal(first.status, 200);
    t.match(first.headers.get('content-type'), /^application\/jsonl/);
    const results: ResultLine[] = first.text
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each));
    t.strictSame(
      results.map(({ custom_id }) => custom_id),
      ids,
    );
    t.strictSame(new Set(outcomes(results)), new Set(['answered', 'cancelled']));
    t.equal((await batches.results(id)).text, first.text);
  }),
  rule('4.6 rule 4: no results before the batch has finished', async (t, service) => {
    const { batches } = await newKey(service, 'results-early');
    hold(t, service);
    const id = await batches.made(lines(3));
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await batches.results(id, method);
      t.strictSame([status, headers.get('x-should-retry')], [409, 'false']);
      if (method === 'GET') t.equal(JSON.parse(text).type, 'batch_not_finished');
    }
  }),
  rule('8 rule 2: a line is billed on its own tokens at the batch price of its model', async (t, service) => {
    const { batches, workspace, key } = await newKey(service, 'results-billing');
    const id = await batches.made([
      ...lines(4),
      line('large', { state: 'word '.repeat(100) }),
      line('other', { model: 'decider-g-31b' }),
      line('refused', { questions: TOO_LONG }),
    ]);
    const results = await batches.collected(id);
    const answered = results.filter(({ status }) => status === 200).length;
    const billed = async () =>
      (await usageOf(service, workspace)).reduce((sum, { requests }) => sum + requests, 0);
    await until(async () => (await billed()) >= answered);
    const rows = await usageOf(service, workspace);
    const models = ['decider-g-12b', 'decider-g-31b'] as const;
    t.strictSame([...new Set(rows.map(({ model }) => model))].sort(), models);
    for (const model of models) {
      const own = results.filter((each) => each.model === BUILDS[model]);
      const tokens = own.reduce((sum, { usage }) => sum + usage.input_tokens, 0);
      const price = PRICES[model] / 2n;
      // More than one where a day has ended meanwhile.
      const paid = rows.filter((row) => row.model === model);
      for (const row of paid) t.match(row, { key, price });
      t.equal(
        paid.reduce((sum, { requests }) => sum + requests, 0),
        own.length,
      );
      t.equal(
        paid.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
        tokens,
      );
      t.equal(
        paid.reduce((sum, { amount }) => sum + amount, 0n),
        BigInt(tokens) * price,
      );
    }
    t.strictSame((await service.administration.reconcile()).problems, []);
  }),
  rule('7.3 cost: only answered lines are billed, exactly', async (t, service) => {
    const tokens = await tokensOfLine(service);
    // Credit for exactly two lines.
    const { batches, workspace } = await newKey(service, 'results-cost', tokens);
    const results = await batches.answered([line('a'), line('refused', { questions: TOO_LONG }), line('b')]);
    t.strictSame(outcomes(results), ['answered', 'invalid_question', 'answered']);
    t.strictSame(
      results.map(({ usage }) => usage.input_tokens),
      [tokens, 0, tokens],
    );
    await until(async () =>
      (await service.administration.reconcile()).books.some(
        (each) => each.workspace === workspace && each.balance === 0n,
      ),
    );
    t.equal((await batches.submit(lines(1))).json.type, 'out_of_credit');
  }),
];

const deleteAfter = async (batches: Awaited<ReturnType<typeof newKey>>['batches'], id: string) =>
  Date.parse((await batches.show(id)).json.delete_after);

/** Moves the clock to an instant. */
const moveTo = ({ clock }: Service, moment: number) => clock.advance(moment - clock.now());

/**
 * Resolves when a batch is deleted. The clock moves on while a deletion runs, which takes real time: how late it is by
 * that clock says nothing.
 */
async function gone(
  service: Service,
  batches: Awaited<ReturnType<typeof newKey>>['batches'],
  id: string,
  due: number,
) {
  moveTo(service, due);
  await until(async () => {
    service.clock.advance(MINUTE_MS);
    return (await batches.show(id)).status === 404;
  });
}

/** Contract 3 `deletion`. */
const DELETION: readonly ContractTest[] = [
  rule('3 deletion: 7 days after the results were first collected', async (t, service) => {
    const { batches } = await newKey(service, 'deletion-collected');
    const id = await batches.made(lines(2));
    const { finished_at, delete_after } = await batches.finished(id);
    t.equal(Date.parse(delete_after), Date.parse(finished_at) + 14 * DAY_MS);
    await batches.results(id, 'HEAD');
    t.equal(await deleteAfter(batches, id), Date.parse(delete_after), 'HEAD collects nothing');
    const before = service.clock.now();
    await batches.results(id);
    await until(async () => (await deleteAfter(batches, id)) < Date.parse(delete_after));
    const due = await deleteAfter(batches, id);
    t.ok(due >= before + 7 * DAY_MS && due <= service.clock.now() + 7 * DAY_MS);
    service.clock.advance(3 * DAY_MS);
    await batches.results(id);
    t.equal(await deleteAfter(batches, id), due, 'the first time counts');
    moveTo(service, due - 30 * MINUTE_MS);
    service.clock.advance(20 * MINUTE_MS);
    t.equal((await batches.results(id)).status, 200);
    await gone(service, batches, id, due);
    t.equal((await batches.results(id)).json.type, 'batch_not_found');
    t.equal((await batches.cancel(id)).json.type, 'batch_not_found');
    t.strictSame((await batches.list()).json.data, []);
  }),
  httpRule('3 deletion: an interrupted download does not count as collected', async (t, service) => {
    const { batches, token } = await newKey(service, 'deletion-left');
    // More than the socket buffers hold.
    const id = await batches.made(Array.from({ length: 20_000 }, (_, at) => line(`${at}`.padStart(64, 'x'))));
    await batches.cancel(id);
    const { finished_at } = await batches.finished(id);
    const client = await RawClient.connect(Number(new URL(service.url).port));
    client.socket.pause();
    client.send(request('GET', `/v1/batches/${id}/results`, null, { Authorization: `Bearer ${token}` }));
    const logged = service.lines.length;
    await until(() => service.lines.length > logged);
    client.destroy();
    await until(() => client.socket.destroyed);
    t.equal(await deleteAfter(batches, id), Date.parse(finished_at) + 14 * DAY_MS);
  }),
  rule(
    '3 deletion: 14 days after the finish at the latest; nothing can be read afterwards',
    async (t, service) => {
      const { store } = service;
      const { batches, workspace } = await newKey(service, 'deletion-finished');
      hold(t, service);
      const id = await batches.made(lines(2));
      t.ok([...store.table('batch_lines').keys(id)].length > 0, 'the lines are there');
      service.engine.open();
      const { delete_after } = await batches.finished(id);
      await until(() => [...store.table('batch_lines').keys(id)].length === 0);
      const used = await usageOf(service, workspace);
      moveTo(service, Date.parse(delete_after) - DAY_MS);
      const late = await batches.results(id);
      t.equal(late.status, 200, 'a late collection');
      t.equal(await deleteAfter(batches, id), Date.parse(delete_after), 'does not put it off');
      t.ok(store.table('data_keys').get(id));
      await gone(service, batches, id, Date.parse(delete_after));
      await until(() => store.table('batches').get(id) === undefined);
      for (const table of ['data_keys', 'batch_results', 'batch_ids', 'batch_lines'] as const) {
        t.strictSame([...store.table(table).keys(id)], [], table);
      }
      t.strictSame(await usageOf(service, workspace), used, 'numbers remain');
    },
  ),
];

export const BATCHES_RESULTS = [...RESULTS, ...DELETION];
