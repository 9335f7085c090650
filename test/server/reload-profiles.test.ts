import { test } from 'tap';
import { ChangingModels, modelEntry } from '../support/changing-models.js';
import { startTestServer } from '../support/server.js';

const EXACT = { DECIDER_ENGINE_EXACT: 'true' };
const PROFILES = ['letters', 'mapika', 'winnow'] as const;
/** Questions of kinds that the check of a model renders, and of others. */
const BODY = {
  state: 'My card was charged twice!',
  questions: {
    angry: { type: 'noul', instructions: 'Is the customer angry?' },
    team: { type: 'choice', criteria: { billing: 'Payments', technical: null, sales: null } },
  },
};

test('a build is asked in the format of the manifest in use: after reloads, and beside one with the same file', async (t) => {
  const models = new ChangingModels(t.testdir());
  const builds = [{ date: '20260101', ...models.model(1) }];
  const expected = new Map<string, unknown>();
  for (const profile of PROFILES) {
    models.serve(builds, { profile });
    const alone = await startTestServer(t, EXACT, models.path);
    expected.set(profile, await alone.ask(BODY));
    await alone.stop();
  }
  t.equal(new Set([...expected.values()].map((each) => JSON.stringify(each))).size, PROFILES.length);

  models.serve(builds, { profile: 'letters' });
  const server = await startTestServer(t, EXACT, models.path);
  t.strictSame(await server.ask(BODY), expected.get('letters'));
  for (const [own, changes] of [
    [{ profile: 'mapika' }, ['manifest', 'replaced tiny-20260101']],
    [{ profile: 'mapika', context_length: 512, temperatures: { noul: 1 } }, ['manifest']],
    [{ profile: 'winnow' }, ['manifest', 'replaced tiny-20260101']],
  ] as const) {
    models.serve(builds, own);
    t.strictSame(await server.reload(server.settings), changes);
    t.strictSame(await server.ask(BODY), expected.get(own.profile));
  }
  models.write({
    default: 'letters',
    models: PROFILES.map((profile) => modelEntry(profile, builds, { profile })),
  });
  await server.reload(server.settings);
  for (const profile of PROFILES) {
    const found = (await server.ask({ ...BODY, model: profile })) as object;
    t.strictSame({ ...found, model: 'tiny-20260101' }, expected.get(profile), profile);
  }
});
