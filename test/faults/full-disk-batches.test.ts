import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Test, test } from 'tap';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import { decider } from '../support/cli.js';
import { emptyDisk, fillDisk, NO_FILE_LIMIT } from '../support/file-limit.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';

const LINES = scaled({ short: 400, long: 1_000 });
/** Units per token of a batch line, at the default prices. */
const PRICE = 750n;
const file = Array.from({ length: LINES }, (_, at) =>
  JSON.stringify({
    custom_id: `line-${at}`,
    model: 'tiny',
    state: `${at}`,
    questions: { q: { type: 'noul' } },
  }),
).join('\n');

const DECISION = JSON.stringify({ state: 'x', questions: { q: { type: 'noul' } } });

/** Longer than the pause between two attempts to run a line. */
const SETTLED_MS = 1_500;

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly counts: { readonly done: number; readonly pending: number };
}

async function start(t: Test, data: string, models: string, known = '') {
  const environment = { DECIDER_PORT: '0', DECIDER_DATA: data, DECIDER_MODELS: models };
  const command = decider(t, ['serve'], { ...environment, ...(await operatorSettings()) });
  const operator = (await command.line(/^operator listener on /)).slice('operator listener on '.length);
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  const token = known || (await command.line(/^token: /)).slice('token: '.length);
  const headers = { authorization: `Bearer ${token}` };
  const ask = (path: string, body?: string, type = 'application/jsonl') =>
    fetch(
      `${url}/v1/${path}`,
      body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': type }, method: 'POST', body },
    );
  const show = async (id: string) => (await (await ask(`batches/${id}`)).json()) as Shown;
  const until = async (id: string, holds: (shown: Shown) => boolean) => {
    while (!holds(await show(id))) await sleep(10);
  };
  /** A batch whose counts have stayed the same for a while. */
  const settled = async (id: string) => {
    for (let before = await show(id); ; ) {
      await sleep(SETTLED_MS);
      const now = await show(id);
      if (isDeepStrictEqual(now.counts, before.counts)) return now;
      before = now;
    }
  };
  const ready = async () => (await operatorFetch(operator, '/ready')).status;
  const health = async () => (await fetch(`${url}/health`)).status;
  return { command, token, ask, until, settled, ready, health };
}

for (const end of ['there is room again', 'the process is killed'] as const) {
  test(`the disk is full in the middle of a batch, until ${end}: every line is answered and charged once`, {
    skip: NO_FILE_LIMIT,
  }, async (t) => {
    const models = modelsFolder(t.testdir());
    const data = dataFolder(t);
    let server = await start(t, data, models);
    const { id } = (await (await server.ask('batches', file)).json()) as Shown;
    await server.until(id, ({ counts }) => counts.done > 50);
    // The batch must not finish first.
    server.command.child.kill('SIGSTOP');
    fillDisk(server.command.child.pid);
    server.command.child.kill('SIGCONT');
    const told = await server.command.errorLine(/charges cannot be written/);
    // LMDB writes of it too, and ends no line.
    t.match(JSON.parse(told.slice(told.indexOf('{'))), {
      level: 'error',
      err: { message: /cannot be written/ },
    });
    // Lines that were with the engine come back; after that no line starts.
    const { counts } = await server.settled(id);
    t.ok(counts.pending > 0);
    const refused = await server.ask('batches', file);
    t.equal(refused.status, 503);
    t.match(await refused.json(), { type: 'batch_unavailable' });
    t.equal(await server.ready(), 503);
    while ((await server.health()) !== 503) await sleep(100);
    const decision = await server.ask('decide', DECISION, 'application/json');
    t.match(
      {
        status: decision.status,
        retryAfter: decision.headers.get('retry-after'),
        json: await decision.json(),
      },
      { status: 503, retryAfter: '1', json: { type: 'overloaded', error: /cannot write charges/ } },
    );
    t.equal((await server.ask(`batches/${id}`)).status, 200, 'reads go on');
    if (end === 'there is room again') {
      emptyDisk(server.command.child.pid);
    } else {
      await server.command.kill();
      server = await start(t, data, models, server.token);
    }
    await server.until(id, ({ status }) => status === 'done');
    t.equal(await server.ready(), 200);
    t.equal(await server.health(), 200);
    const results = (await (await server.ask(`batches/${id}/results`)).text()).trimEnd().split('\n');
    const lines = results.map(
      (text) => JSON.parse(text) as { custom_id: string; usage: { input_tokens: number } },
    );
    t.strictSame(
      lines.map(({ custom_id }) => custom_id),
      lines.map((_, at) => `line-${at}`),
    );
    t.equal(lines.length, LINES);
    const listed = (await (await server.ask('batches')).json()) as { data: Shown[] };
    t.strictSame(
      listed.data.map((each) => each.id),
      [id],
      'what was refused is not there',
    );
    server.command.child.kill('SIGTERM');
    t.equal((await server.command.end()).code, 0);
    const store = openStore(data);
    t.teardown(() => store.close());
    const { books, problems } = reconcile(store);
    t.strictSame(problems, []);
    const tokens = lines.reduce((sum, { usage }) => sum + usage.input_tokens, 0);
    t.equal(books[0]?.charged, BigInt(tokens) * PRICE, 'every line is charged once');
    const counters = [...store.table('usage').entries()];
    t.equal(
      counters.reduce((sum, { value }) => sum + value.requests, 0),
      LINES,
    );
  });
}
