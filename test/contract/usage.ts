import { CHANGES } from '../../src/access/index.js';
import { LIMITS } from '../../src/api/index.js';
import { line, newKey } from '../support/contract/batch-calls.js';
import { PRICES } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { used } from '../support/contract/used.js';

const BODY = { state: 'x', questions: ASK };
const LARGER = 'decider-g-31b';
const DAY_MS = 24 * 3_600_000;

/** Units of 10⁻¹² as the amount of a response. */
const amountOf = (units: bigint) => Number(`${units}e-12`);

/** Contract 2.12 and contract 4.10. */
export const USAGE: readonly ContractTest[] = [
  httpRule('2.12: the usage of a key, in its documented shape', async (t, service) => {
    const { get, post } = service;
    const { batches, key, token } = await newKey(service, 'usage-shape');
    const tokens: number[] = [];
    for (const model of ['decider-g-12b', LARGER, 'decider-g-12b']) {
      tokens.push((await post({ ...BODY, model }, { token })).json.usage.input_tokens);
    }
    const results = await batches.answered([line('a'), line('b', { state: 'longer' })]);
    const batched = results.reduce((sum, { usage }) => sum + usage.input_tokens, 0);
    const [first, larger, again] = tokens as [number, number, number];
    const reply = await get('/v1/usage', { token });
    const { data, ...rest } = reply.json;
    t.equal(reply.status, 200);
    const price = PRICES['decider-g-12b'];
    const amounts = {
      batch: BigInt(batched) * (price / 2n),
      live: BigInt(first + again) * price,
      larger: BigInt(larger) * PRICES[LARGER],
    };
    const model = 'decider-g-12b';
    t.strictSame(used(reply), [
      { model, kind: 'batch', requests: 2, input_tokens: batched, amount: amountOf(amounts.batch) },
      { model, kind: 'live', requests: 2, input_tokens: first + again, amount: amountOf(amounts.live) },
      { model: LARGER, kind: 'live', requests: 1, input_tokens: larger, amount: amountOf(amounts.larger) },
    ]);
    t.strictSame(rest, {
      object: 'usage',
      key: { id: key },
      currency: 'GBP',
      from: rest.from,
      to: rest.to,
      total: {
        requests: 5,
        input_tokens: first + larger + again + batched,
        amount: amountOf(amounts.batch + amounts.live + amounts.larger),
      },
    });
    for (const { day } of data) t.ok(/^\d{4}-\d\d-\d\d$/.test(day) && day >= rest.from && day <= rest.to);
    const names = data.map((row: Record<string, string>) => `${row.day} ${row.model} ${row.kind}`);
    t.strictSame(names, [...new Set(names)].sort(), 'one row of each, in this order');
    t.equal((await get('/v1/usage', { token: null })).status, 401);
    t.equal((await get('/m/decider-g-12b/v1/usage', { token })).status, 404);
  }),
  httpRule('4.10 rule 1: 1 to 92 days, 30 by default', async (t, { account, clock, get }) => {
    const { token } = await account('usage-days');
    for (const [query, days] of [
      ['', 30],
      ['?days=1', 1],
      ['?days=92', 92],
      ['?other=x&days=7', 7],
    ] as const) {
      const before = clock.now();
      const { json } = await get(`/v1/usage${query}`, { token });
      const to = [before, clock.now()].map((instant) => new Date(instant).toISOString().slice(0, 10));
      t.ok(to.includes(json.to), 'the last day is today');
      t.equal((Date.parse(json.to) - Date.parse(json.from)) / DAY_MS + 1, days, query);
      t.strictSame([json.data, json.total], [[], { requests: 0, input_tokens: 0, amount: 0 }]);
    }
    t.equal(LIMITS.usageDays, 92);
    for (const days of ['0', '93', '-1', '1.5', '', 'x', '01', '1e1', '2026-11-21', '7&days=8']) {
      const { status, json } = await get(`/v1/usage?days=${days}`, { token });
      t.strictSame([status, json.type], [400, 'invalid_request'], days);
      t.match(json.error, '`days`');
    }
  }),
  rule('4.10 rule 2: every charge so far, for a paused key too', async (t, { account, get, post }) => {
    const tokens = (await post(BODY)).json.usage.input_tokens;
    const { token } = await account('usage-spent', tokens);
    t.equal((await post(BODY, { token })).status, 200);
    t.equal((await post(BODY, { token })).json.type, 'out_of_credit');
    const { json, headers } = await get('/v1/usage?days=2', { token });
    t.strictSame(json.total, {
      requests: 1,
      input_tokens: tokens,
      amount: amountOf(BigInt(tokens) * PRICES['decider-g-12b']),
    });
    const left = (from: Headers) => Number(from.get('x-ratelimit-remaining-requests'));
    const next = await get('/v1/usage', { token });
    t.equal(left(next.headers), left(headers) - 1, 'it counts as a request');
    t.equal(next.json.total.amount, json.total.amount, 'and costs nothing');
  }),
  rule('4.10 rule 3: the charges of the calling key only, at every endpoint', async (t, service) => {
    const { account, gateway, get, post, administration } = service;
    const { key, token, workspace } = await account('usage-own');
    const other = await administration.change(CHANGES.createKey(workspace));
    const { input_tokens: tokens } = (await post(BODY, { token })).json.usage;
    await post(BODY, { token: other.token });
    await post(BODY, { token: other.token });
    const rolled = await administration.change(CHANGES.rollKey(key));
    await post(BODY, { token: rolled.token });
    const requests = async (path: string, own: string) =>
      (await get(path, { token: own })).json.total.requests;
    t.equal(await requests('/v1/usage', token), 1);
    t.equal(await requests('/v1/usage', other.token), 2);
    t.equal(await requests('/v1/usage', rolled.token), 1);
    t.equal(await requests(`${gateway}/v1/usage`, token), 1, 'at the endpoint of another model too');
    const { json } = await get('/v1/limits', { token });
    t.equal(json.month.charged, amountOf(BigInt(4 * tokens) * PRICES['decider-g-12b']));
  }),
];
