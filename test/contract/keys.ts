import { CHANGES, DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { systemClock } from '../../src/base/index.js';
import { createKey } from '../support/access/folder-changes.js';
import { PRICES, type Service } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';

const BODY = { state: 'x', questions: ASK };
const HOUR = 3_600_000;

const refused = async ({ post }: Service, token: string | null, headers = {}) => {
  const { status, json, headers: got } = await post(BODY, { token, headers });
  return [status, json.type, got.get('www-authenticate')];
};
const UNAUTHORIZED = [401, 'unauthorized', 'Bearer'];

/** Contract 5, and prices and billing of contract 8. */
export const KEYS: readonly ContractTest[] = [
  httpRule('5 rule 1: both decide paths require a bearer token', async (t, { post, token }) => {
    for (const path of ['/v1/decide', '/v1/systemone', '/m/decider-g-12b/v1/decide']) {
      t.equal((await post(BODY, { path })).status, 200, path);
      t.equal((await post(BODY, { path, token: null })).status, 401, path);
    }
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${token}` };
      t.equal((await post(BODY, { token: null, headers })).status, 200, scheme);
    }
    for (const authorization of [token, `Basic ${token}`, `Bearer${token}`, 'Bearer', `Bearer ${token} x`]) {
      t.equal((await post(BODY, { token: null, headers: { authorization } })).status, 401);
    }
  }),
  httpRule('5 rule 2: the model list and the health check need no token', async (t, { get }) => {
    for (const path of ['/v1/models', '/health', '/m/decider-g-12b/health']) {
      for (const token of [null, 'wrong']) t.equal((await get(path, { token })).status, 200, path);
    }
  }),
  httpRule('5 rule 3: missing and wrong tokens are 401', async (t, service) => {
    const { token } = service;
    const others = [
      null,
      '',
      'x',
      token.slice(0, -1),
      `${token}a`,
      token.toUpperCase(),
      `dk_${'a'.repeat(40)}`,
    ];
    for (const wrong of others) t.strictSame(await refused(service, wrong), UNAUTHORIZED);
  }),
  rule('5 rule 3: expired tokens are 401', async (t, service) => {
    const then = { ...systemClock, now: () => Date.now() - HOUR };
    const { token } = createKey(service.store, then, DEFAULT_WORKSPACE, Date.now() - 1);
    t.strictSame(await refused(service, token), UNAUTHORIZED);
    const live = createKey(service.store, systemClock, DEFAULT_WORKSPACE, Date.now() + HOUR);
    t.equal((await service.post(BODY, { token: live.token })).status, 200);
  }),
  rule('5 rule 3: revoked tokens are 401 from the next request', async (t, service) => {
    const { token, key } = await service.account('revoked');
    t.equal((await service.post(BODY, { token })).status, 200);
    await service.administration.change(CHANGES.revokeKey(key));
    t.strictSame(await refused(service, token), UNAUTHORIZED);
  }),
  rule('5 rule 3: the keys of a closed workspace are 401 until it is reopened', async (t, service) => {
    const { token, workspace } = await service.account('closed');
    t.equal((await service.post(BODY, { token })).status, 200);
    await service.administration.change(CHANGES.closeWorkspace(workspace));
    t.strictSame(await refused(service, token), UNAUTHORIZED);
    t.equal((await service.post(BODY, { token })).json.error, 'The workspace of the key is closed.');
    await service.administration.change(CHANGES.reopenWorkspace(workspace));
    t.equal((await service.post(BODY, { token })).status, 200);
  }),
  rule(
    '5 rule 6: a key without credit is paused until credit is added',
    async (t, { post, administration, account }) => {
      const { token, workspace } = await account('without-credit', 0);
      const { status, json } = await post(BODY, { token });
      t.strictSame([status, json.type], [402, 'out_of_credit']);
      t.equal((await post('not JSON', { token })).status, 402, 'whatever the body is');
      await administration.change(CHANGES.grantCredit(workspace, 10n ** 12n));
      t.equal((await post(BODY, { token })).status, 200);
    },
  ),
  rule(
    '5 rule 6: a key is paused when its workspace has reached the budget',
    async (t, { post, administration, account }) => {
      const { token, workspace } = await account('over-budget');
      t.equal((await post(BODY, { token })).status, 200);
      await administration.change(CHANGES.changeWorkspace(workspace, { budget: 1n }));
      const { status, json } = await post(BODY, { token });
      t.strictSame([status, json.type], [402, 'budget_exceeded']);
      await administration.change(CHANGES.changeWorkspace(workspace, { budget: null }));
      t.equal((await post(BODY, { token })).status, 200);
    },
  ),
  rule(
    '5 rule 8: a rolled key works beside the new one until the end of the next day',
    async (t, { post, administration, account }) => {
      const { token, key } = await account('rolled');
      const dayAfter = () => new Date(Date.now() + 24 * HOUR).toISOString().slice(0, 10);
      const days = [dayAfter()];
      const made = await administration.change(CHANGES.rollKey(key));
      // A day may end during the change.
      days.push(dayAfter());
      const old = await post(BODY, { token });
      t.equal(old.status, 200);
      t.ok(days.includes(old.headers.get('service-key-expires') ?? ''));
      const next = await post(BODY, { token: made.token });
      t.equal(next.status, 200);
      t.equal(next.headers.get('service-key-id'), made.key.id);
      t.not(made.key.id, key);
    },
  ),
  rule(
    '5 rule 9: a workspace that lost access to a model is refused',
    async (t, { post, administration, account }) => {
      const { token, workspace } = await account('without-model');
      await administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-31b'] }));
      for (const path of ['/v1/decide', '/v1/systemone', '/m/decider-g-12b/v1/decide']) {
        const { status, json } = await post(BODY, { token, path });
        t.strictSame([status, json.type], [403, 'model_not_allowed'], path);
      }
      t.equal(
        (await post({ ...BODY, model: 'decider-g-31b' }, { token })).status,
        200,
        'the other one is left',
      );
      await administration.change(CHANGES.changeWorkspace(workspace, { models: ['decider-g-12b'] }));
      t.equal((await post(BODY, { token })).status, 200);
    },
  ),
  rule(
    '8 price: input tokens of each model cost the exact amount',
    async (t, { post, account, administration }) => {
      for (const model of ['decider-g-12b', 'decider-g-31b'] as const) {
        const body = { ...BODY, model };
        const tokens = (await post(body)).json.usage.input_tokens;
        const enough = (await account(`enough-for-${model}`, tokens, model)).token;
        t.equal((await post(body, { token: enough })).status, 200);
        t.equal((await post(body, { token: enough })).status, 402);
        const short = (await account(`too-little-for-${model}`, tokens - 1, model)).token;
        t.equal((await post(body, { token: short })).json.type, 'out_of_credit');
        const { workspace, token } = await account(`a-unit-short-for-${model}`, 0);
        await administration.change(CHANGES.grantCredit(workspace, 2n * BigInt(tokens) * PRICES[model] - 1n));
        t.equal((await post(body, { token })).status, 200);
        t.equal((await post(body, { token })).status, 402, 'the second is a unit too dear');
      }
    },
  ),
  rule('8 rule 1: output tokens are free', async (t, { post, account }) => {
    const sixteen = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`q${at}`, ASK.q]));
    const body = { state: 'x', questions: sixteen };
    const { usage } = (await post(body)).json;
    t.equal(usage.output_tokens, 16);
    const { token } = await account('sixteen', usage.input_tokens);
    t.equal((await post(body, { token })).status, 200, 'credit for the input tokens is enough');
  }),
  rule('8 rule 3: a refused request costs nothing', async (t, { post, account }) => {
    const { input_tokens } = (await post(BODY)).json.usage;
    const { token } = await account('refused', input_tokens);
    for (const body of ['{', '{}', { state: 'x', questions: {} }, { ...BODY, model: 'unknown' }]) {
      t.not((await post(body, { token })).status, 200);
    }
    t.equal((await post(BODY, { token })).status, 200, 'all the credit is still there');
  }),
  httpRule(
    '8 price: credit for N requests answers N of many concurrent ones',
    async (t, { post, account }) => {
      const { input_tokens } = (await post(BODY)).json.usage;
      const { token } = await account('at-once', 5 * input_tokens);
      const all = await Promise.all(Array.from({ length: 12 }, () => post(BODY, { token })));
      t.equal(all.filter(({ status }) => status === 200).length, 5);
      t.equal(all.filter(({ status }) => status === 402).length, 7);
    },
  ),
];
