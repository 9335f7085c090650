import { BUILDS } from '../support/contract/service.js';
import { ASK, type ContractTest, rule } from '../support/contract/suite.js';

const BODY = JSON.stringify({ state: 'x', questions: ASK });

/** Contract 4.2. */
export const SYSTEM_ONE_PATH: readonly ContractTest[] = [
  rule('4.2: answers as /v1/decide does', async (t, { post }) => {
    const path = '/v1/systemone';
    for (const body of [BODY, '{', '{}', '{"state":1}', `{"state":1,"questions":{"q":{"type":"x"}}}`]) {
      const [decided, other] = [await post(body), await post(body, { path })];
      t.strictSame([other.status, other.text], [decided.status, decided.text], body);
    }
    t.equal((await post(BODY, { path, token: null })).status, 401);
  }),
  rule('4.2: a model that is not served is answered by the default one', async (t, { post }) => {
    for (const model of ['jev-latest', 'decider-g-13b', '', 'decider-g-12b-19700101']) {
      const body = { state: 'x', questions: ASK, model };
      const { status, json } = await post(body, { path: '/v1/systemone' });
      t.strictSame([status, json.model], [200, BUILDS['decider-g-12b']], model);
      t.equal((await post(body)).status, 404, 'not on the other path');
    }
    const wrong = await post({ state: 'x', questions: ASK, model: 7 }, { path: '/v1/systemone' });
    t.strictSame([wrong.status, wrong.json.type], [400, 'invalid_request']);
  }),
  rule('4.2: a file part in a state is refused, and named', async (t, { post }) => {
    const path = '/v1/systemone';
    const text = { type: 'text', text: 'x' };
    for (const data of [
      'iVBORw0KGgo=',
      { type: 'data', data: 'iVBORw0KGgo=' },
      { type: 'data', data: { 0: 1 } },
    ]) {
      const body = { state: [text, { type: 'file', mediaType: 'image/png', data }], questions: ASK };
      const refused = await post(body, { path });
      t.strictSame([refused.status, refused.json.type], [400, 'invalid_assets']);
      t.match(refused.json.error, /^`state\[1\]` is a file part, .* in `assets`/);
      t.equal((await post(body)).status, 200, 'on the other path it is a state as any other');
    }
    for (const state of [
      [{ type: 'file', data: 'x' }],
      [{ type: 'file', mediaType: 'a/b' }],
      { type: 'file' },
      [text],
    ])
      t.equal((await post({ state, questions: ASK }, { path })).status, 200, JSON.stringify(state));
  }),
];
