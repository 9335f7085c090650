// A server whose engine aborts the process in the middle of waves, restarted as by a supervisor.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { STUCK } from '../../src/cli/serve.js';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import { decider } from '../support/cli.js';
import { ABORTING, HANGING, REASON } from '../support/faults/poisoned-engine.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';

const ABORTS = scaled({ short: 3, long: 5 }, 'ABORTS');
const LINES = 40;
const CLIENTS = 3;
/** Units per token of a batch line, at the default prices. */
const PRICE = 750n;

const preload = new URL('../support/faults/poisoned-engine.js', import.meta.url);
const question = (instructions: string) => ({ q: { type: 'noul', instructions } });

/** A batch file; the line at `poison` ends the server. */
const fileOf = (poison: number) =>
  Array.from({ length: LINES }, (_, at) =>
    JSON.stringify({
      custom_id: `line-${at}`,
      model: 'tiny',
      state: `Case ${at % 7}`,
      questions: question(at === poison ? ABORTING : `Is it ${at}?`),
    }),
  ).join('\n');

interface Result {
  readonly status: number | null;
  readonly error?: { readonly type: string; readonly error: string };
  readonly usage: { readonly input_tokens: number };
}

test(`${ABORTS} aborts under load: no line is lost or charged twice, and the lines that cause the aborts fail`, async (t) => {
  const environment = {
    DECIDER_PORT: '0',
    DECIDER_DATA: dataFolder(t),
    DECIDER_MODELS: modelsFolder(t.testdir(), { layers: 2, globalEvery: 2 }),
    DECIDER_ENGINE_CONTEXTS: '2',
    DECIDER_LOG_LEVEL: 'error',
  };
  const poisons = new Map<string, number>();
  let token = '';
  let aborts = 0;
  let poisonousRequests = 0;
  let answered = 0;
  const start = async () => {
    const command = decider(t, ['serve'], environment, `export NODE_OPTIONS=--import=${preload};`);
    const url = (await command.line(/^listening on /)).slice('listening on '.length);
    token ||= (await command.line(/^token: /)).slice('token: '.length);
    const call = async (path: string, type: string, body?: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const response = await fetch(`${url}/v1/${path}`, { headers, ...(body && { method: 'POST', body }) });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return response.text();
    };
    const decide = (instructions: string) =>
      call('decide', 'application/json', JSON.stringify({ state: 'x', questions: question(instructions) }));
    return { command, call, decide };
  };
  type Server = Awaited<ReturnType<typeof start>>;
  const statusOf = async ({ call }: Server, id: string) =>
    JSON.parse(await call(`batches/${id}`, '')) as { status: string; results_available: boolean };

  /** What clients do until the server is gone, or everything is answered. */
  const use = async (server: Server) => {
    const { call, decide } = server;
    let done = false;
    const client = async () => {
      for (; !done; answered += 1) await decide('Is it?');
    };
    const clients = Array.from({ length: CLIENTS }, () => client().catch(() => {}));
    const batches = async () => {
      // A batch is good for three aborts: two by its line, and one by a request when it has finished.
      if (aborts < ABORTS && poisons.size * 3 <= aborts) {
        const poison = (7 * aborts) % LINES;
        poisons.set(JSON.parse(await call('batches', 'application/jsonl', fileOf(poison))).id, poison);
      }
      for (const id of poisons.keys()) while (!(await statusOf(server, id)).results_available);
      if (aborts >= ABORTS) return;
      poisonousRequests += 1;
      await decide(ABORTING);
    };
    try {
      await batches();
    } finally {
      done = true;
      await Promise.all(clients);
    }
  };

  const resultsOf = async ({ call }: Server) => {
    const found = new Map<string, string[]>();
    for (const id of poisons.keys()) {
      found.set(id, (await call(`batches/${id}/results`, '')).trimEnd().split('\n'));
    }
    return found;
  };

  let results = new Map<string, string[]>();
  for (;;) {
    const server = await start();
    const { child } = server.command;
    const ended = once(child, 'exit');
    const failure = await use(server).then(
      () => null,
      (error: Error) => error,
    );
    if (failure === null) {
      results = await resultsOf(server);
      child.kill('SIGTERM');
      t.strictSame(await ended, [0, null]);
      break;
    }
    t.strictSame(await ended, [null, 'SIGABRT'], failure.message);
    aborts += 1;
    const { stderr } = await server.command.end();
    t.match(stderr, new RegExp(`"reason":"[^"]*${REASON}","msg":"llama.cpp ends the process"`));
  }

  let tokens = 0;
  let lines = 0;
  for (const [id, poison] of poisons) {
    const found = results.get(id) ?? [];
    t.equal(found.length, LINES);
    found.forEach((text, at) => {
      const { status, error, usage } = JSON.parse(text) as Result;
      if (at === poison) t.match({ status, error }, { status: 500, error: { type: 'internal_error' } });
      else if (status !== 200) t.fail(`${id} line ${at}: ${text}`);
      tokens += usage.input_tokens;
      lines += status === 200 ? 1 : 0;
    });
  }
  const store = openStore(environment.DECIDER_DATA);
  t.teardown(() => store.close());
  t.ok(aborts <= 2 * poisons.size + poisonousRequests, `${aborts} aborts`);
  t.strictSame(reconcile(store).problems, []);
  const usage = [...store.table('usage').entries()].filter(({ key }) => key.includes('batch'));
  t.equal(
    usage.reduce((sum, { value }) => sum + value.requests, 0),
    lines,
    'every answered line is charged once',
  );
  t.equal(
    usage.reduce((sum, { value }) => sum + BigInt(value.amount), 0n),
    BigInt(tokens) * PRICE,
  );
  t.strictSame([...store.table('batch_aborts').keys()], []);
  t.comment(`${poisons.size} batches, ${poisonousRequests} poisonous requests, ${answered} others answered`);
});

test('a wave that does not end: its requests are 503, and the process ends with a status of its own', async (t) => {
  const folder = t.testdir();
  const hurry = join(folder, 'hurry');
  const command = decider(
    t,
    ['serve'],
    {
      HURRY: hurry,
      DECIDER_PORT: '0',
      DECIDER_MODELS: modelsFolder(folder, { layers: 2, globalEvery: 2 }),
      DECIDER_ENGINE_DEADLINE_MS: '1h',
      DECIDER_LOG_LEVEL: 'error',
    },
    `export NODE_OPTIONS=--import=${preload};`,
  );
  const url = (await command.line(/^listening on /)).slice('listening on '.length);
  const token = (await command.line(/^token: /)).slice('token: '.length);
  const ended = once(command.child, 'exit');
  // Only the wave of this request is left.
  writeFileSync(hurry, '');
  const response = await fetch(`${url}/v1/decide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'x', questions: question(HANGING) }),
  });
  t.equal(response.status, 503);
  t.match(await response.json(), { type: 'model_unavailable', error: /about to restart/ });
  t.strictSame(await ended, [STUCK, null]);
  const { stdout, stderr } = await command.end();
  t.match(stdout, /ending with status 70 to be restarted: tiny-20260101: a wave has not ended within \d+ s/);
  t.match(stderr, /an engine thread has failed/);
});
