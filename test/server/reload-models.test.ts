import { test } from 'tap';
import { REQUESTS_PER_MINUTE_MAX } from '../../src/access/workspaces.js';
import { systemClock } from '../../src/base/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { changeWorkspace } from '../support/access/folder-changes.js';
import { ChangingModels } from '../support/changing-models.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { scaled } from '../support/scale.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** At least; requests go on until the last reload has ended. */
const REQUESTS = scaled({ short: 200, long: 400 });
const AT_ONCE = 8;
/** The same answer to the last digit, whichever requests came before, and with answers of the cache. */
const EXACT = { DECIDER_ENGINE_EXACT: 'true', DECIDER_ENGINE_ANSWER_CACHE_MB: '1' };
const STATES = ['My card was charged twice!', 'Where is my parcel?', 'x', 'A refund, please. '.repeat(4)];
const QUESTIONS = {
  angry: { type: 'noul', instructions: 'Is the customer angry?' },
  team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
};

/** Requests that name the model, none, or what an endpoint of one model ignores. */
const bodyOf = (at: number) => ({
  ...[{ model: 'tiny' }, {}, { model: 'ignored' }][at % 3],
  state: STATES[at % STATES.length],
  questions: QUESTIONS,
});

/** The dates of the builds, in the order in which they are served. */
const [FIRST, SECOND, THIRD, LAST] = ['20260101', '20260102', '20260103', '20260104'] as const;

test('requests across five reloads: none fails, and each is answered by the build that it names', async (t) => {
  const models = new ChangingModels(t.testdir());
  const files = [1, 2, 3].map((seed) => models.model(seed));
  const [one, two, three] = files as [(typeof files)[0], (typeof files)[0], (typeof files)[0]];
  const broken = models.file('broken.gguf', Buffer.from('GGUF, but not for long'));
  const builds = [
    { date: FIRST, ...one },
    { date: SECOND, ...two },
    { date: THIRD, ...three },
    // The weights of the first build, under another name.
    { date: LAST, ...one },
  ];
  models.serve(builds);
  const alone = await startTestServer(t, EXACT, models.path);
  /** The responses of each build, by the state. */
  const expected = new Map<string, string>();
  for (const { date } of builds) {
    for (const [at, state] of STATES.entries()) {
      const response = await alone.decide({ ...bodyOf(at), model: 'x' }, `/m/tiny-${date}/v1/decide`);
      expected.set(`tiny-${date} ${state}`, await response.text());
    }
  }
  t.equal(new Set(expected.values()).size, builds.length * STATES.length, 'the answers differ');
  // Weights are shared in the process.
  await alone.stop();

  for (const transport of TRANSPORTS) {
    models.serve(builds.slice(0, 1));
    const data = dataFolder(t);
    const environment = { ...EXACT, DECIDER_DATA: data, DECIDER_HTTP_TRANSPORT: transport };
    const server = await startTestServer(t, environment, models.path);
    const store = openStore(data);
    changeWorkspace(store, systemClock, 'default', { requestsPerMinute: REQUESTS_PER_MINUTE_MAX });
    await store.close();
    const wrong: string[] = [];
    const answered = new Map<string, number>();
    let asked = 0;
    let isOver = false;
    const client = async () => {
      while (!isOver || asked < REQUESTS) {
        const body = bodyOf(asked);
        asked += 1;
        const response = await server.decide(body);
        const text = await response.text();
        const { model } = JSON.parse(text) as { model?: string };
        if (response.status !== 200 || text !== expected.get(`${model} ${body.state}`)) wrong.push(text);
        else answered.set(model as string, (answered.get(model as string) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: AT_ONCE }, client);
    const reload = () => server.reload(server.settings);
    const hasAnswered = (date: string) => until(() => answered.has(`tiny-${date}`));
    await hasAnswered(FIRST);
    models.serve(builds.slice(0, 2));
    t.strictSame(await reload(), ['manifest', `added tiny-${SECOND}`]);
    await hasAnswered(SECOND);
    models.write('{ "default": "tiny", ');
    await t.rejects(reload(), { message: /manifest\.json: / });
    models.serve([...builds.slice(0, 2), { date: THIRD, ...broken }]);
    await t.rejects(reload(), { name: 'ModelError', message: /broken\.gguf: / });
    models.serve(builds.slice(2, 3));
    t.strictSame(await reload(), [
      'manifest',
      `added tiny-${THIRD}`,
      `removed tiny-${FIRST}`,
      `removed tiny-${SECOND}`,
    ]);
    await hasAnswered(THIRD);
    models.serve(builds.slice(3));
    t.strictSame(await reload(), ['manifest', `added tiny-${LAST}`, `removed tiny-${THIRD}`]);
    await hasAnswered(LAST);
    isOver = true;
    await Promise.all(clients);
    t.strictSame(wrong.slice(0, 3), [], `${wrong.length} of ${asked} requests went wrong (${transport})`);
    t.match(await server.ask(bodyOf(1)), { model: `tiny-${LAST}` });
    t.match(await server.ask(bodyOf(1), `/m/tiny-${FIRST}/v1/decide`), { type: 'model_not_found' });
    await until(() => server.engines.draining.length === 0);
    await server.stop();
  }
});
