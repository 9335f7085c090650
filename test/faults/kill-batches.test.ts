// Kills of a server that runs batches.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'tap';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import { decider } from '../support/cli.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';
import { until } from '../support/until.js';

const KILLS = scaled({ short: 1, long: 3 }, 'KILLS');
const LINES = 120;
/** A server is killed some part of this after it listens. */
const RUN_MS_MAX = scaled({ short: 1_000, long: 3_000 });
/** It is killed some part of this after SIGTERM, in half of the kills. */
const DRAIN_MS_MAX = 60;
/** Units per token of a batch line, at the default prices. */
const PRICE = 750n;

const line = (at: number) => ({
  custom_id: `line-${at}`,
  model: 'tiny',
  state: `Case ${at % 7}`,
  questions: { q: { type: 'noul', instructions: `Is it ${at}?` } },
});
const file = Array.from({ length: LINES }, (_, at) => JSON.stringify(line(at))).join('\n');

interface Client {
  submit(): Promise<string>;
  status(id: string): Promise<{ status: string; results_available: boolean }>;
  cancel(id: string): Promise<void>;
  results(id: string): Promise<string[]>;
  list(): Promise<string[]>;
}

function clientOf(url: string, token: string): Client {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jsonl' };
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}/v1/batches${path}`, { headers, ...init });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response;
  };
  return {
    submit: async () => ((await (await ask('', { method: 'POST', body: file })).json()) as { id: string }).id,
    status: async (id) =>
      (await (await ask(`/${id}`)).json()) as { status: string; results_available: boolean },
    cancel: async (id) => void (await ask(`/${id}/cancel`, { method: 'POST' })),
    results: async (id) => (await (await ask(`/${id}/results`)).text()).trimEnd().split('\n'),
    list: async () => ((await (await ask('')).json()) as { data: { id: string }[] }).data.map(({ id }) => id),
  };
}

test(`${KILLS} kills while batches run: every acknowledged batch finishes, byte for byte as undisturbed`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const models = modelsFolder(t.testdir());
  const environment = (data: string) => ({
    DECIDER_PORT: '0',
    DECIDER_DATA: data,
    DECIDER_MODELS: models,
    DECIDER_ENGINE_EXACT: 'true',
    DECIDER_ENGINE_ANSWER_CACHE_MB: '0',
    DECIDER_ENGINE_THREADS: '1',
    DECIDER_LOG_LEVEL: 'silent',
  });
  const start = async (data: string, known = '') => {
    const command = decider(t, ['serve'], environment(data));
    const url = (await command.line(/^listening on /)).slice('listening on '.length);
    const token = known || (await command.line(/^token: /)).slice('token: '.length);
    return { command, token, client: clientOf(url, token) };
  };
  const kill = async ({ command }: Awaited<ReturnType<typeof start>>, drained = false) => {
    // A platform whose grace period is shorter than the drain.
    if (drained && command.child.kill('SIGTERM')) await sleep(next.integer(DRAIN_MS_MAX));
    await command.kill();
  };
  const finished = async (client: Client, id: string) => {
    while (!(await client.status(id)).results_available) await sleep(20);
    return client.results(id);
  };

  const calm = await start(dataFolder(t));
  const expected = await finished(calm.client, await calm.client.submit());
  await kill(calm);
  t.equal(expected.length, LINES);

  const data = dataFolder(t);
  const store = openStore(data);
  t.teardown(() => store.close());
  const acknowledged = new Set<string>();
  const cancelled = new Set<string>();
  let token = '';
  for (let round = 0; round < KILLS; round += 1) {
    const server = await start(data, token);
    token = server.token;
    const { client } = server;
    const work = (async () => {
      // At most a few at a time: ten may be open.
      if (acknowledged.size - cancelled.size < 4 + round / 4) acknowledged.add(await client.submit());
      if (next.integer(4) === 0 && acknowledged.size > 0) {
        const id = [...acknowledged][next.integer(acknowledged.size)] as string;
        await client.cancel(id);
        cancelled.add(id);
      }
    })().catch(() => {});
    // At least one is acknowledged, however slow the machine is.
    if (round === 0) await until(() => acknowledged.size > 0);
    await sleep(next.integer(RUN_MS_MAX));
    await kill(server, next.integer(2) === 0);
    await work;
    t.strictSame(reconcile(store).problems, [], `kill ${round}`);
  }

  const last = await start(data, token);
  const ids = await last.client.list();
  for (const id of acknowledged) t.ok(ids.includes(id), `${id} was acknowledged`);
  t.ok(acknowledged.size > 0, 'some were acknowledged');
  let tokens = 0;
  let answered = 0;
  for (const id of ids) {
    const results = await finished(last.client, id);
    t.equal(results.length, LINES);
    results.forEach((text, at) => {
      const result = JSON.parse(text) as { status: number | null; error?: { type: string } };
      if (result.status === 200) {
        answered += 1;
        tokens += (JSON.parse(text) as { usage: { input_tokens: number } }).usage.input_tokens;
        if (text !== expected[at]) t.equal(text, expected[at], `${id} line ${at}`);
      } else if (result.error?.type !== 'cancelled') t.fail(`${id} line ${at}: ${text}`);
    });
    const { status } = await last.client.status(id);
    if (status === 'done') t.ok(results.every((text) => JSON.parse(text).status === 200));
    else t.equal(status, 'cancelled');
  }
  await kill(last);
  const { books, problems } = reconcile(store);
  t.strictSame(problems, []);
  t.equal(books[0]?.charged, BigInt(tokens) * PRICE, 'every answered line is charged once');
  const usage = [...store.table('usage').entries()];
  t.equal(
    usage.reduce((sum, { value }) => sum + value.requests, 0),
    answered,
  );
  t.comment(`${ids.length} batches, ${acknowledged.size} acknowledged, ${answered} lines answered`);
});
