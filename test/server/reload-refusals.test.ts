import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { readManifest } from '../../src/engine/index.js';
import { DRAIN_MARGIN_MS } from '../../src/server/reload/reloader.js';
import { ChangingModels, modelEntry } from '../support/changing-models.js';
import { EngineGate } from '../support/engine-gate.js';
import { type MovableClock, movableClock } from '../support/movable-clock.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { startTestServer } from '../support/server.js';
import { smallModelFile } from '../support/tiny.js';
import { until } from '../support/until.js';

const ASK = { state: 'A card was charged twice.', questions: { q: { type: 'noul' } } };
const [FIRST, SECOND, THIRD] = ['20260101', '20260102', '20260103'] as const;

type Server = Awaited<ReturnType<typeof startTestServer>>;

/** What callers and the operator see of the models. */
async function shownBy({ url, headers, operatorUrl }: Server) {
  const get = async (path: string) => (await fetch(url + path, { headers })).json();
  const read = (path: string) => operatorFetch(operatorUrl as string, path);
  const { models, reload } = (await (await read('/status')).json()) as {
    models: { id: string }[];
    reload: { state: string; draining: unknown[] };
  };
  const metrics = await (await read('/metrics')).text();
  return {
    listed: ((await get('/v1/models')) as { data: { id: string }[] }).data.map(({ id }) => id),
    priced: ((await get('/v1/limits')) as { models: { id: string; prices: { live: number } }[] }).models.map(
      ({ id, prices }) => `${id} ${prices.live}`,
    ),
    builds: models.map(({ id }) => id),
    // `-` stands for requests that no model answered, such as those above.
    measured: [...new Set([...metrics.matchAll(/model="([^"]{2,})"/g)].map(([, model]) => model))].sort(),
    reload,
  };
}

test('reloads of models: what is refused changes nothing, and everything follows what is not', async (t) => {
  const models = new ChangingModels(t.testdir());
  const [one, two] = [models.model(1), models.model(2)];
  const first = { date: FIRST, ...one };
  models.serve([first]);
  const environment = {
    ...(await operatorSettings()),
    DECIDER_BILLING_PRICES: 'decider-g-12b=1/1,other=2/2',
  };
  const server = await startTestServer(t, environment, models.path);
  const before = await shownBy(server);
  t.match(before, { listed: ['tiny'], priced: ['tiny 1'], builds: [`tiny-${FIRST}`] });
  t.strictSame(before.measured, [`tiny-${FIRST}`]);
  const refusals: Readonly<Record<string, readonly [manifest: () => void, message: RegExp]>> = {
    'no manifest': [
      () => rmSync(join(models.path, 'manifest.json')),
      /manifest\.json: the file does not exist/,
    ],
    'a build without its file': [
      () => models.serve([first, { date: SECOND, file: 'none.gguf', sha256: one.sha256 }]),
      /none\.gguf: /,
    ],
    'a FIFO instead of a file, and a build before it that does not load': [
      () => {
        execFileSync('mkfifo', [join(models.path, 'fifo.gguf')]);
        const wrong = { date: SECOND, ...two, sha256: one.sha256 };
        models.serve([first, wrong, { date: THIRD, file: 'fifo.gguf', sha256: one.sha256 }]);
      },
      /fifo\.gguf: not a regular file/,
    ],
    'a wrong checksum': [
      () => models.serve([first, { date: SECOND, ...two, sha256: one.sha256 }]),
      /tiny-2\.gguf: its SHA-256 is /,
    ],
    'a file that is no model': [
      () => models.serve([first, { date: SECOND, ...models.file('text.gguf', Buffer.from('no model')) }]),
      /text\.gguf: /,
    ],
    'a profile that does not exist': [
      () => models.serve([first, { date: SECOND, ...two }], { profile: 'none' }),
      /the manifest names the profile none/,
    ],
    'temperatures that are no numbers above zero': [
      () => models.serve([{ ...first, temperatures: { noul: -1 } }]),
      /temperature/,
    ],
    'a device that does not exist': [
      () => models.serve([first, { date: SECOND, ...two }], { engine: { devices: ['CUDA9'] } }),
      /engine\.devices: no GPU is named "CUDA9"/,
    ],
    'no price': [
      () => models.serve([first, { date: SECOND, ...two }], { price_class: 'none' }),
      /billing\.prices has no price class none/,
    ],
    'other files of a loaded build': [
      () => models.serve([{ date: FIRST, ...two }]),
      /tiny-20260101 is loaded with other files .* another date/,
    ],
    'a loaded file that was overwritten': [
      () => {
        models.serve([first, { date: SECOND, ...models.file('tiny-1.gguf', smallModelFile({ seed: 3 })) }]);
      },
      /tiny-1\.gguf is loaded for tiny-20260101 with another checksum\. Give the new file another name\./,
    ],
  };
  for (const [name, [write, message]] of Object.entries(refusals)) {
    write();
    await t.rejects(server.reload(server.settings), { message }, name);
    t.match(await server.ask(ASK), { model: `tiny-${FIRST}` }, name);
  }
  t.strictSame(await shownBy(server), before, 'nothing has changed');

  models.serve([first, { date: SECOND, ...two }]);
  const next = server.engines.nextSet(await readManifest(models.path));
  await server.engines.loadMissing(next, new AbortController().signal);
  t.strictSame(next.builds.size, 2);
  t.strictSame(server.engines.draining, [], 'a build that is loaded for a reload does not drain');
  await server.engines.discard(next);
  t.strictSame(await shownBy(server), before);

  writeFileSync(join(models.path, one.file), smallModelFile({ seed: 1 }));
  const answer = await server.ask(ASK);
  // No build is loaded for these: only the preparing threads are new.
  models.serve([{ ...first, temperatures: { noul: 0.2 } }], { answers_for: ['alias'], price_class: 'other' });
  t.strictSame(await server.reload(server.settings), ['manifest']);
  const changed = await shownBy(server);
  t.match(changed, { listed: ['tiny', 'alias'], priced: ['tiny 2', 'alias 2'], builds: [`tiny-${FIRST}`] });
  t.not((await server.ask(ASK)).answers.q.noul, answer.answers.q.noul, 'another temperature');

  models.write({
    default: 'second',
    models: [modelEntry('second', [{ date: THIRD, ...two }]), modelEntry('tiny', [first])],
  });
  t.strictSame(await server.reload(server.settings), ['manifest', `added second-${THIRD}`]);
  t.match(await server.ask(ASK), { model: `second-${THIRD}` }, 'the default model');
  t.match(await server.ask({ ...ASK, model: 'tiny' }), { model: `tiny-${FIRST}` });
  // With one model, the endpoint ignored the field.
  t.match(await server.ask({ ...ASK, model: 'alias' }), { type: 'model_not_found' });
  t.match(await shownBy(server), {
    listed: ['second', 'tiny'],
    measured: [`second-${THIRD}`, `tiny-${FIRST}`],
  });

  models.write({ default: 'second', models: [modelEntry('second', [{ date: THIRD, ...two }])] });
  t.strictSame(await server.reload(server.settings), ['manifest', `removed tiny-${FIRST}`]);
  await until(async () => (await shownBy(server)).reload.state === 'idle');
  t.strictSame(await shownBy(server), {
    listed: ['second'],
    priced: ['second 1'],
    builds: [`second-${THIRD}`],
    measured: [`second-${THIRD}`],
    reload: { state: 'idle', draining: [] },
  });
  t.match(await server.ask({ ...ASK, model: 'tiny' }), { model: `second-${THIRD}` });
});

test('a reload that does not fit in memory is refused with the numbers', async (t) => {
  const models = new ChangingModels(t.testdir());
  const first = { date: FIRST, ...models.model(1) };
  models.serve([first]);
  const server = await startTestServer(t, { DECIDER_ENGINE_MEMORY_CHECK: 'true' }, models.path);
  models.write({
    default: 'tiny',
    models: [
      modelEntry('tiny', [first]),
      modelEntry('large', [{ date: SECOND, ...models.model(2) }], {
        engine: { contexts: 8, cells: 1_048_576 },
      }),
    ],
  });
  await t.rejects(server.reload(server.settings), {
    message: /^large-20260102: not enough memory: .* GB .* needed, .* free\..* A restart needs less memory/,
  });
  t.match(await server.ask({ ...ASK, model: 'tiny' }), { model: `tiny-${FIRST}` });
});

/** A server with the first build, whose batches a test holds back. */
async function startHeld(t: Test, models: ChangingModels, clock: MovableClock) {
  const server = await startTestServer(t, {}, models.path, { clock });
  const gate = new EngineGate(server.engines);
  const read = (path: string) => fetch(`${server.url}/v1/batches/${path}`, { headers: server.headers });
  return {
    server,
    gate,
    /** Submits lines that name a model, and returns the id of the batch when one of them has begun. */
    async submit(model: string, count: number): Promise<string> {
      const lines = Array.from({ length: count }, (_, at) =>
        JSON.stringify({ custom_id: `line${at}`, model, ...ASK }),
      );
      gate.hold();
      const { url, headers } = server;
      const sent = { method: 'POST', headers, body: lines.join('\n') };
      const { id } = (await (await fetch(`${url}/v1/batches`, sent)).json()) as { id: string };
      await gate.held();
      return id;
    },
    /** The builds that have answered the lines of a batch. */
    async buildsOf(id: string): Promise<string[]> {
      const isDone = async () => ((await (await read(id)).json()) as { status: string }).status === 'done';
      await until(isDone);
      const text = await (await read(`${id}/results`)).text();
      const lines = text.trim().split('\n');
      return lines.map((line) => (JSON.parse(line) as { model: string }).model);
    },
  };
}

test('a reload and batches: a model that an open batch names must stay, and lines in progress keep their build until they are cut off', async (t) => {
  const models = new ChangingModels(t.testdir());
  const [one, two] = [models.model(1), models.model(2)];
  const [first, second] = [
    { date: FIRST, ...one },
    { date: SECOND, ...two },
  ];
  models.serve([first]);
  const clock = movableClock();
  const { server, gate, submit, buildsOf } = await startHeld(t, models, clock);
  const reload = () => server.reload(server.settings);
  const draining = () => server.engines.draining.map(({ id }) => id);

  const named = await submit(`tiny-${FIRST}`, 1);
  models.serve([second]);
  await t.rejects(reload(), {
    message: `Open batches name tiny-${FIRST}, which the manifest no longer has. Wait until they finish, or cancel them.`,
  });
  gate.open();
  t.strictSame(await buildsOf(named), [`tiny-${FIRST}`]);

  const moving = await submit('tiny', 5);
  t.strictSame(await reload(), ['manifest', `added tiny-${SECOND}`, `removed tiny-${FIRST}`]);
  t.strictSame(draining(), [`tiny-${FIRST}`]);
  gate.open();
  const builds = await buildsOf(moving);
  t.strictSame([builds[0], builds.at(-1)], [`tiny-${FIRST}`, `tiny-${SECOND}`]);
  t.strictSame(new Set(builds).size, 2);
  await until(() => draining().length === 0);

  const late = await submit('tiny', 1);
  models.serve([first]);
  t.strictSame(await reload(), ['manifest', `added tiny-${FIRST}`, `removed tiny-${SECOND}`]);
  clock.advance(server.settings.engine.deadline_ms);
  t.strictSame(draining(), [`tiny-${SECOND}`]);
  clock.advance(DRAIN_MARGIN_MS);
  await until(() => draining().length === 0);
  gate.open();
  t.strictSame(await buildsOf(late), [`tiny-${FIRST}`], 'the line is tried again');
});
