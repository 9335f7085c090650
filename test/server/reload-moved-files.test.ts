import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ChangingModels } from '../support/changing-models.js';
import { startTestServer } from '../support/server.js';
import { smallModelFile } from '../support/tiny.js';
import { until } from '../support/until.js';

const ASK = {
  state: 'A card was charged twice.',
  questions: { q: { type: 'choice', criteria: ['a', 'b'] } },
};
const DATE = '20260101';

test('a build whose files have moved is loaded from there, as when models pull repairs it in the folder of a newer commit', async (t) => {
  const models = new ChangingModels(t.testdir());
  const [before, after] = ['before', 'after'].map((name) =>
    models.file(`${name}.gguf`, smallModelFile({ seed: 1 })),
  ) as [ReturnType<typeof models.file>, ReturnType<typeof models.file>];
  models.serve([{ date: DATE, ...before }]);
  const server = await startTestServer(t, { DECIDER_ENGINE_EXACT: 'true' }, models.path);
  const answer = await server.ask(ASK);
  const reload = () => server.reload(server.settings);

  models.serve([{ date: DATE, ...after, sha256: models.model(2).sha256 }]);
  await t.rejects(reload(), { message: /is loaded with other files/ }, 'other contents');

  models.serve([{ date: DATE, ...after }]);
  t.strictSame(await reload(), ['manifest', `replaced tiny-${DATE}`]);
  await until(() => server.engines.draining.length === 0);
  rmSync(join(models.path, before.file));
  t.strictSame(await server.ask(ASK), answer);

  models.serve([{ date: DATE, ...after }], { answers_for: ['alias'] });
  t.strictSame(await reload(), ['manifest'], 'nothing is loaded again');
  t.strictSame(await server.ask({ ...ASK, model: 'alias' }), answer);
});
