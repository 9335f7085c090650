import { readdirSync } from 'node:fs';
import { test } from 'tap';
import type { OperatorResponses } from '../../src/api/index.js';
import { ChangingModels } from '../support/changing-models.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { memoryOf } from '../support/process-memory.js';
import { LONG, scaled } from '../support/scale.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const RELOADS = scaled({ short: 6, long: 12 });
/** At full scale, weights of which a leak would show: 129 MB. */
const SHAPE = LONG ? { width: 512, feedForward: 1_536, layers: 12 } : {};
/** Threads or descriptors more than after the first reload, which are not of a build. A leak has one for each reload. */
const OTHERS_MAX = 4;
/** Reloads after which the allocator has its arenas. */
const FIRST_RELOADS = 3;
const ASK = { state: 'x', questions: { q: { type: 'noul' } } };

const count = (folder: string) => readdirSync(`/proc/self/${folder}`).length;

test(`${RELOADS} reloads of models: threads, file descriptors and memory are those of one build again`, {
  skip: process.platform !== 'linux',
}, async (t) => {
  const models = new ChangingModels(t.testdir());
  const builds = [1, 2].map((seed) => ({ date: `2026010${seed}`, ...models.model(seed, SHAPE) }));
  const bytes = builds.map(({ file }) => models.bytesOf(file))[0] as number;
  const serve = (at: number) => models.serve(builds.slice(at % 2, (at % 2) + 1));
  serve(0);
  // Its idle connections are file descriptors.
  const environment = { DECIDER_HTTP_KEEP_ALIVE_S: '1', ...(await operatorSettings()) };
  const server = await startTestServer(t, environment, models.path);
  const isRecorded = async () => {
    const response = await operatorFetch(server.operatorUrl as string, '/api/audit?limit=1');
    const [newest] = ((await response.json()) as OperatorResponses['listAudit']).entries;
    return newest?.action === 'settings.reload';
  };
  await server.ask(ASK);
  /** After the first reload. */
  let held = { threads: 0, descriptors: 0 };
  const memory = memoryOf(process.pid);
  let settled = 0;
  for (let reload = 1; reload <= RELOADS; reload += 1) {
    serve(reload);
    t.equal((await server.reload(server.settings)).length, 3);
    t.match(await server.ask(ASK), { model: `tiny-${builds[reload % 2]?.date}` });
    await until(() => server.engines.draining.length === 0);
    // The thread that writes the audit log starts with the first entry.
    await until(isRecorded);
    if (reload === 1) held = { threads: count('task'), descriptors: count('fd') };
    if (reload === FIRST_RELOADS) settled = memory.own();
  }
  // A thread ends a moment after it has closed what it had.
  await until(
    () => count('task') <= held.threads + OTHERS_MAX && count('fd') <= held.descriptors + OTHERS_MAX,
  );
  const grown = memory.own() - settled;
  t.comment(`${(grown / 1e6).toFixed(0)} MB more than after ${FIRST_RELOADS} reloads of ${bytes / 1e6} MB`);
  if (LONG) t.ok(grown < 3 * bytes, `${grown} bytes`);
});
