import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CHANGES } from '../../src/access/index.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { scaled } from '../support/scale.js';

const MIB = 1024 * 1024;

/** Contract 8: the limits that no other test covers. */
export const LIMITS_OF_DECIDE: readonly ContractTest[] = [
  rule('8 limit request bytes: 256 MiB per minute and key', async (t, { post, account, administration }) => {
    const { token, workspace } = await account('request-bytes');
    t.equal((await administration.getWorkspace(workspace)).bytesPerMinute, 256 * MIB);
    const limit = scaled({ short: MIB, long: 256 * MIB });
    await administration.change(CHANGES.changeWorkspace(workspace, { bytesPerMinute: limit }));
    const spaces = Buffer.alloc(limit / 8, ' ');
    for (let count = 0; count < 8; count += 1) {
      t.equal((await post(spaces, { token })).json.type, 'invalid_json', 'counted, whatever they hold');
    }
    const { status, json, headers } = await post(' ', { token });
    t.strictSame([status, json.type], [429, 'rate_limited']);
    t.match(headers.get('retry-after'), /^([1-9]|[1-5]\d|60)$/);
    const other = (await account('request-bytes-other')).token;
    t.equal(
      (await post({ state: 'x', questions: ASK }, { token: other })).status,
      200,
      'another key has its own',
    );
  }),
  rule(
    '8 limit requests: per minute and key, as the workspace is configured',
    async (t, { post, account, administration }) => {
      const { token, workspace } = await account('requests');
      await administration.change(CHANGES.changeWorkspace(workspace, { requestsPerMinute: 3 }));
      const body = { state: 'x', questions: ASK };
      const all = await Promise.all(Array.from({ length: 5 }, () => post(body, { token })));
      t.strictSame(all.map(({ status }) => status).sort(), [200, 200, 200, 429, 429]);
    },
  ),
  rule('8 limit model input: a request over the context window is refused', async (t, { post }) => {
    const words = 'word '.repeat(100_000);
    const { status, json } = await post({
      state: 'x',
      questions: { long: { type: 'noul', instructions: words } },
    });
    t.strictSame([status, json.type], [422, 'invalid_question']);
    t.match(json.error, /"long".*context window/);
  }),
  rule('8 limit model input: the first 20,000 characters of a string state are read', async (t, { post }) => {
    const tokens = async (state: unknown) => (await post({ state, questions: ASK })).json.usage.input_tokens;
    // A long run of spaces is few tokens.
    const full = `${'😀'.repeat(10)}${' '.repeat(19_980)}${'a'.repeat(10)}`;
    const read = await tokens(full);
    t.equal(await tokens(`${full}b`), read, 'one more is not read');
    t.equal(await tokens(`${full}${'b'.repeat(30_000)}`), read);
    t.ok((await tokens(full.slice(0, -10))) < read, 'ten fewer are fewer tokens');
  }),
  rule(
    '8 limit model input: the first 20,000 characters of an indented JSON state are read',
    async (t, { post }) => {
      const ask = (state: unknown) => post({ state, questions: ASK });
      const state = Array.from({ length: 40 }, (_, at) => ({ [at]: ' '.repeat(600) }));
      const text = [...JSON.stringify(state, null, 2)].slice(0, 20_000).join('');
      const [asJson, asText] = [await ask(state), await ask(text)];
      t.equal(asJson.status, 200);
      t.equal(asJson.text, asText.text);
    },
  ),
  httpRule('8 data handling: the log holds method, path, status and duration', async (t, { post, lines }) => {
    const secret = 'a-text-that-must-not-be-logged';
    const before = lines.length;
    await post(
      {
        state: secret,
        questions: { [secret]: { type: 'choice', instructions: secret, criteria: { [secret]: secret } } },
      },
      { path: `/v1/decide?${secret}`, headers: { 'x-any': secret } },
    );
    await post(`{"${secret}"`);
    const logged = lines.slice(before);
    t.equal(logged.length, 2);
    for (const line of logged) {
      t.notMatch(line, secret);
      t.match(JSON.parse(line), {
        method: 'POST',
        path: '/v1/decide',
        status: Number,
        durationMs: Number,
        keyId: /^key_/,
        workspace: 'default',
      });
    }
  }),
  rule('8 data handling: nothing of a live request is stored', async (t, { post, data }) => {
    const secret = 'a-text-that-must-not-be-stored';
    const body = { state: secret, questions: { [secret]: { type: 'noul', instructions: secret } } };
    t.equal((await post(body)).status, 200);
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((file) => join(data, file));
    for (const file of files.filter((each) => statSync(each).isFile())) {
      t.notOk(readFileSync(file, 'latin1').includes(secret), file);
    }
  }),
];
