import { createTypeSafeAi } from '@ai-sdk/typesafe-ai';
import { APIError, noul, type RequestOptions, TypeSafeClient } from '@typesafe-ai/sdk';
import { APICallError, type Experimental_DecisionModel, experimental_evaluate } from 'ai';
import { type Test, test } from 'tap';
import { DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { systemClock } from '../../src/base/index.js';
import { startServer } from '../../src/server/index.js';
import { loadSettings } from '../../src/settings/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { changeWorkspace, createKey, createWorkspace } from '../support/access/folder-changes.js';
import { firstKey } from '../support/first-key.js';
import { deferred, TRANSPORTS } from '../support/http/serving.js';
import { dataFolder, modelsFolder, startTestServer, testDependencies } from '../support/server.js';
import { passWaits } from '../support/waits.js';

/** Both clients, asking the same: the status they were refused with, or 200. */
function clients(url: string, token: string) {
  const sdk = new TypeSafeClient({ apiKey: token, baseURL: url, logLevel: 'off' });
  const provider = createTypeSafeAi({ apiKey: token, baseURL: `${url}/v1` });
  const model = provider.evaluationModel('jev-latest') as Experimental_DecisionModel;
  return {
    sdk: (instructions: string, options: RequestOptions = {}) =>
      sdk.systemOne({ state: 'x', questions: { q: noul(instructions) } }, options).then(
        () => 200,
        (error) => (error instanceof APIError ? error.status : error),
      ),
    ai: (instructions: string) =>
      experimental_evaluate({
        model,
        state: 'x',
        questions: { q: { type: 'boolean', instructions } },
      }).then(
        () => 200,
        (error) => (APICallError.isInstance(error) ? error.statusCode : error),
      ),
  };
}

async function start(t: Test, transport: string) {
  const data = dataFolder(t);
  const server = await startTestServer(t, {
    DECIDER_DATA: data,
    DECIDER_HTTP_TRANSPORT: transport,
    // Not one of the lengths that are passed below.
    DECIDER_ENGINE_DEADLINE_MS: '90000',
  });
  const seen = () => server.lines.map((line) => JSON.parse(line).status as number);
  return { ...server, store: openStore(data), seen };
}

for (const transport of TRANSPORTS) {
  test(`a wrong token, no credit, a question too long: refused at once, without retries (${transport})`, async (t) => {
    const { url, store, seen } = await start(t, transport);
    createWorkspace(store, systemClock, 'poor');
    const poor = clients(url, createKey(store, systemClock, 'poor').token);
    const rich = clients(url, createKey(store, systemClock, DEFAULT_WORKSPACE).token);
    const wrong = clients(url, 'dk_wrong');
    const long = 'word '.repeat(20_000);
    for (const client of ['sdk', 'ai'] as const) {
      t.equal(await wrong[client]('Is it?'), 401, client);
      t.equal(await poor[client]('Is it?'), 402, client);
      t.equal(await rich[client](long), 422, client);
      t.equal(await rich[client]('Is it?'), 200, client);
    }
    t.strictSame(seen(), [401, 402, 422, 200, 401, 402, 422, 200]);
  });

  test(`a rate limit: asked again after \`Retry-After\`, and then answered (${transport})`, async (t) => {
    const { url, store, seen } = await start(t, transport);
    const workspace = (requestsPerMinute: number) =>
      changeWorkspace(store, systemClock, DEFAULT_WORKSPACE, { requestsPerMinute });
    // The minute of the limit, less what the requests before took; 2 s is what `ai` waits instead of a whole minute.
    const lengths = [2_000, ...Array.from({ length: 30 }, (_, at) => (31 + at) * 1_000)];
    const waited = passWaits(t, lengths, () => void workspace(1_000));
    for (const client of ['sdk', 'ai'] as const) {
      const one = clients(url, createKey(store, systemClock, DEFAULT_WORKSPACE).token);
      workspace(1);
      t.equal(await one[client]('Is it?'), 200, client);
      t.equal(await one[client]('Is it?'), 200, client);
    }
    t.strictSame(seen(), [200, 429, 200, 200, 429, 200]);
    t.ok((waited[0] ?? 0) > 30_000, `${waited}`);
    t.equal(waited.length, 2);
  });

  test(`models that are still being loaded: asked again, and then answered (${transport})`, async (t) => {
    for (const client of ['sdk', 'ai'] as const) {
      const [refused, loaded] = [deferred(), deferred()];
      const waited = passWaits(t, [5_000], () => {
        refused.resolve();
        return loaded.promise;
      });
      let answer: Promise<unknown> = Promise.resolve();
      const data = dataFolder(t);
      const token = await firstKey(data);
      const settings = loadSettings(
        {
          DECIDER_PORT: '0',
          DECIDER_MODELS: modelsFolder(t.testdir()),
          DECIDER_DATA: data,
          DECIDER_ENGINE_BACKEND: 'cpu',
          DECIDER_ENGINE_THREADS: '1',
          DECIDER_ENGINE_MEMORY_CHECK: 'false',
          DECIDER_HTTP_TRANSPORT: transport,
        },
        undefined,
      );
      const { dependencies } = testDependencies();
      const listening = async (url: string) => {
        answer = clients(url, token)[client]('Is it?');
        await refused.promise;
      };
      const report = { ...dependencies.report, listening };
      const server = await startServer(settings, { ...dependencies, report });
      t.teardown(() => server.stop());
      loaded.resolve();
      t.equal(await answer, 200, client);
      t.strictSame(waited, [5_000], 'once');
    }
  });
}
