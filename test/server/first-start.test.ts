import { test } from 'tap';
import { loadSettings } from '../../src/settings/index.js';
import { listKeys, listWorkspaces } from '../../src/storage/folder/administration/rows.js';
import { openFolder } from '../../src/storage/folder/folder-storage.js';
import { openStore } from '../../src/storage/folder/index.js';
import { dataFolder, modelsFolder, testDependencies } from '../support/server.js';

/** More than a first start looks at the clock. */
const LOOKS_MAX = 20;

test('a first start that fails at any step stores nothing, and the next start is the first again', async (t) => {
  const data = dataFolder(t);
  const models = modelsFolder(t.testdir());
  const settings = loadSettings({ DECIDER_DATA: data, DECIDER_MODELS: models }, undefined);
  const { told, dependencies } = testDependencies();
  const store = openStore(data);
  t.teardown(() => store.close());
  let failures = 0;
  for (let looks = 0; told.token === '' && looks < LOOKS_MAX; looks += 1) {
    let left = looks;
    const now = () => {
      left -= 1;
      if (left < 0) throw new Error('the power is cut');
      return Date.now();
    };
    const open = openFolder(settings, { ...dependencies, clock: { ...dependencies.clock, now } });
    const opened = await open.catch(() => null);
    await opened?.createFirstKey().catch(() => {});
    left = LOOKS_MAX;
    await opened?.close();
    if (told.token !== '') break;
    failures += 1;
    store.refresh();
    t.strictSame([listWorkspaces(store), listKeys(store)], [[], []], `it failed at look ${looks}`);
  }
  t.ok(failures > 1, `${failures} failures`);
  t.match(told.token, /^dk_/);
  t.equal(listWorkspaces(store)[0]?.granted, 100n * 10n ** 12n);
});
