import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { openStore, reconcile, type Store } from '../../src/storage/folder/index.js';
import { createKey, createWorkspace, grantCredit } from '../support/access/folder-changes.js';
import { decider, run } from '../support/cli.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const LINES = scaled({ short: 24, long: 500 });
/** Units per token of a batch line, at the default prices. */
const PRICE = 750n;
const LIVE_AT_ONCE = 2;
/** For a busy machine. */
const PATIENCE_MS = 240_000;

const request = (at: number) => ({
  model: 'tiny',
  state: `Case ${at % 7}`,
  questions: { q: { type: 'noul', instructions: 'Is it?' } },
});
const file = Array.from({ length: LINES }, (_, at) =>
  JSON.stringify({ custom_id: `line-${at}`, ...request(at) }),
).join('\n');

/** The batch interface of a server for a token. */
function clientOf(url: string, authorization: string) {
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}/v1/batches${path}`, { headers: { authorization }, ...init });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.text();
  };
  const show = async (id: string) => JSON.parse(await ask(`/${id}`));
  return {
    submit: async (): Promise<string> => JSON.parse(await ask('', { method: 'POST', body: file })).id,
    done: async (id: string): Promise<number> => (await show(id)).counts.done,
    results: async (id: string): Promise<string> => {
      await until(async () => (await show(id)).results_available, PATIENCE_MS);
      return ask(`/${id}/results`);
    },
  };
}

/** What was charged for batches, by key. */
function batchCharges(store: Store): Record<string, { requests: number; amount: bigint }> {
  const sums: Record<string, { requests: number; amount: bigint }> = {};
  for (const { key: parts, value } of store.table('usage').entries()) {
    const [, , key, , kind] = parts as string[];
    if (kind !== 'batch') continue;
    const { requests, amount } = sums[key as string] ?? { requests: 0, amount: 0n };
    sums[key as string] = { requests: requests + value.requests, amount: amount + BigInt(value.amount) };
  }
  return sums;
}

test('a backup under load, restored elsewhere: batches continue, and every line is answered and charged once', async (t) => {
  const data = join(dataFolder(t), 'data');
  const models = modelsFolder(dataFolder(t));
  const own = { DECIDER_ENGINE_EXACT: 'true', DECIDER_MODELS: models, DECIDER_ENGINE_BACKEND: 'cpu' };
  const first = await startTestServer(t, { ...own, DECIDER_DATA: data }, models);
  const store = openStore(data);
  t.teardown(() => store.close());
  const tokens: number = (await first.ask(request(0))).usage.input_tokens;
  const half = LINES / 2;
  createWorkspace(store, systemClock, 'half');
  grantCredit(store, systemClock, 'half', BigInt(tokens * half) * PRICE);
  const { token } = createKey(store, systemClock, 'half');
  const [poor, rich] = [`Bearer ${token}`, first.headers.authorization];

  // One batch waits for credit in its middle, the other one runs.
  const stopped = await clientOf(first.url, poor).submit();
  await until(async () => (await clientOf(first.url, poor).done(stopped)) === half, PATIENCE_MS);
  const running = await clientOf(first.url, rich).submit();
  let live = true;
  const calls = Array.from({ length: LIVE_AT_ONCE }, async (_, client) => {
    for (let at = client; live; at += 1) await first.ask(request(at));
  });
  const backup = join(dataFolder(t), 'backup');
  for (const args of [['backup', backup], ['verify']]) {
    const { code, stdout, stderr } = await decider(t, args, { DECIDER_DATA: data }).end();
    t.equal(code, 0, `${stdout}${stderr}`);
  }
  live = false;
  await Promise.all(calls);

  const elsewhere = join(dataFolder(t), 'data');
  for (const args of [['restore', backup], ['verify'], ['doctor']]) {
    const { code, stdout, stderr } = await run(t, args, { ...own, DECIDER_DATA: elsewhere });
    t.equal(code, 0, `${args[0]}: ${stdout}${stderr}`);
    if (args[0] === 'restore') cpSync(join(data, 'master.key'), join(elsewhere, 'master.key'));
  }
  const restored = openStore(elsewhere);
  t.teardown(() => restored.close());
  t.equal(restored.table('batches').get(stopped)?.done, half);
  for (const each of [store, restored]) {
    grantCredit(each, systemClock, 'half', BigInt(tokens * (LINES - half)) * PRICE);
  }
  const second = await startTestServer(t, { ...own, DECIDER_DATA: elsewhere }, models);
  for (const [authorization, id] of [
    [poor, stopped],
    [rich, running],
  ] as const) {
    const expected = await clientOf(first.url, authorization).results(id);
    t.equal(expected.split('\n').filter((each) => each.includes('"status":200')).length, LINES);
    t.equal(await clientOf(second.url, authorization).results(id), expected);
  }
  await Promise.all([first.stop(), second.stop()]);
  t.strictSame(batchCharges(restored), batchCharges(store));
  for (const { requests, amount } of Object.values(batchCharges(store))) {
    t.equal(requests, LINES);
    t.equal(amount, BigInt(tokens * LINES) * PRICE);
  }
  for (const [folder, each] of [
    [data, store],
    [elsewhere, restored],
  ] as const) {
    const { code, stdout } = await run(t, ['verify'], { DECIDER_DATA: folder });
    t.equal(code, 0, stdout);
    t.strictSame(reconcile(each).problems, []);
  }
});
