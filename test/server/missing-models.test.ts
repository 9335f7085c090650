import { test } from 'tap';
import type { CatalogBuild } from '../../src/engine/index.js';
import { missingNotice } from '../../src/server/missing-models.js';
import { ChangingModels } from '../support/changing-models.js';
import { EngineGate } from '../support/engine-gate.js';
import { dataFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const [FIRST, SECOND] = ['20260101', '20260102'] as const;
const LINE = {
  model: `tiny-${FIRST}`,
  state: 'A card was charged twice.',
  questions: { q: { type: 'noul' } },
};

test('a start without a build that an open batch names: its lines wait for a reload that adds the build', async (t) => {
  const models = new ChangingModels(t.testdir());
  const [first, second] = [
    { date: FIRST, ...models.model(1) },
    { date: SECOND, ...models.model(2) },
  ];
  models.serve([first]);
  const environment = { DECIDER_DATA: dataFolder(t) };
  const before = await startTestServer(t, environment, models.path);
  const { headers } = before;
  new EngineGate(before.engines).hold(0);
  const body = [1, 2].map((at) => JSON.stringify({ custom_id: `line${at}`, ...LINE })).join('\n');
  const sent = await fetch(`${before.url}/v1/batches`, { method: 'POST', headers, body });
  const { id } = (await sent.json()) as { id: string };
  await before.stop();

  models.serve([second]);
  const notices: string[] = [];
  const report = { notice: (text: string) => void notices.push(text), token: () => {}, progress: () => {} };
  const server = await startTestServer(t, environment, models.path, { report });
  const warnings = notices.filter((notice) => notice.startsWith('Open batches name'));
  t.strictSame(warnings, [
    `Open batches name models that the manifest does not have: tiny-${FIRST} (1 batch). Their lines wait for a reload that adds the models, a cancel, or the end of the 24 hours.`,
  ]);
  const show = async () =>
    (await (await fetch(`${server.url}/v1/batches/${id}`, { headers })).json()) as { status: string };
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  t.match(await show(), { status: 'queued', counts: { failed: 0, pending: 2 } });

  models.serve([second], { release_date: '2026-01-02' });
  t.strictSame(
    await server.reload(server.settings),
    ['manifest'],
    'a reload that lacks it too takes nothing',
  );
  models.serve([first, second]);
  t.strictSame(await server.reload(server.settings), ['manifest', `added tiny-${FIRST}`]);
  await until(async () => (await show()).status === 'done');
  t.match(await show(), { counts: { done: 2, failed: 0 } });
});

test('the start of a node says that another one may have the models', async (t) => {
  const catalog = { find: (name: string | null) => (name === 'm' ? ({} as CatalogBuild) : undefined) };
  const open = new Map([
    ['m', 3],
    ['gone', 2],
  ]);
  t.match(missingNotice(open, catalog, false), /: gone \(2 batches\)\. Their lines wait for a reload /);
  t.match(
    missingNotice(open, catalog, true),
    /\. Unless another node has them, their lines wait for a reload /,
  );
  t.equal(missingNotice(new Map([['m', 1]]), catalog, true), null);
});
