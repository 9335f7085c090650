import { test } from 'tap';
import { DEFAULT_WORKSPACE } from '../../src/access/index.js';
import { systemClock } from '../../src/base/index.js';
import { openStore } from '../../src/storage/folder/index.js';
import { changeWorkspace } from '../support/access/folder-changes.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';

const REQUEST = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } };

test('a workspace that may use one build of a model may use it under every name of that build', async (t) => {
  const data = dataFolder(t);
  const folder = t.testdir();
  const server = await startTestServer(t, { DECIDER_DATA: data }, modelsFolder(folder));
  const store = openStore(data);
  t.teardown(() => store.close());
  const statuses = () =>
    Promise.all(
      ['tiny', 'tiny-20260101', null].map(
        async (model) => (await server.decide({ ...REQUEST, model })).status,
      ),
    );
  changeWorkspace(store, systemClock, DEFAULT_WORKSPACE, { models: ['tiny-20260101'] });
  t.strictSame(await statuses(), [200, 200, 200]);
  changeWorkspace(store, systemClock, DEFAULT_WORKSPACE, { models: ['tiny-20260102'] });
  t.strictSame(await statuses(), [403, 403, 403]);
});
