import { test } from 'tap';
import type { Caller } from '../../src/access/index.js';
import type { Manifest } from '../../src/engine/index.js';
import type { ModelListEntry } from '../../src/http/index.js';
import { limitsJson } from '../../src/server/account-json.js';
import { ModelSet } from '../../src/server/models/model-set.js';
import { offeredModels } from '../../src/server/models/offered-models.js';
import type { Settings } from '../../src/settings/index.js';
import type { Storage } from '../../src/storage/index.js';

const build = (date: string) => ({ date, file: `${date}.gguf`, sha256: 'a'.repeat(64) });
const model = (id: string, dates: readonly string[]) => ({
  id,
  description: '',
  release_date: null,
  price_class: 'p',
  builds: dates.map(build),
});
const [OLD, NEW] = ['m-20260101', 'm-20260601'] as const;
const MODELS = [model('m', ['20260101', '20260601']), model('other', ['20260101'])];

/** The limits' models, each with whether it is the default, of a workspace that may use the models of a list. */
async function listed(models: readonly string[] | null, only: string | null = null) {
  const set = new ModelSet({ default: 'm', models: MODELS } as unknown as Manifest, '/');
  set.prices = new Map(set.catalog.builds.map(({ id }) => [id, { live: 2n, batch: 1n }]));
  const list = set.catalog
    .list()
    .filter(({ id }) => only === null || id === set.catalog.listedId(only))
    .map((each) => ({ ...each, ownedBy: '', ...set.factsOf(each.id) })) as readonly ModelListEntry[];
  const limits = (await limitsJson(
    { key: { id: 'k', name: null, expires: null }, workspace: { models, budget: null } } as unknown as Caller,
    offeredModels(set, { only, listed: list, allowed: models }),
    set,
    { access: { balance: async () => ({ credit: 0n, monthCharged: 0n }) } } as unknown as Storage,
    { billing: { currency: 'GBP' } } as Settings,
  )) as { readonly models: readonly { readonly id: string; readonly default: boolean }[] };
  return limits.models.map((each) => (each.default ? `${each.id} (default)` : each.id));
}

test('the limits have the builds that a workspace names, unless the id of the model means them', async (t) => {
  t.strictSame(await listed(null), ['m (default)', 'other'], 'no list: no builds');
  t.strictSame(await listed([OLD]), [OLD]);
  t.strictSame(await listed([NEW]), ['m (default)']);
  t.strictSame(await listed([OLD, 'm', OLD]), ['m (default)', OLD]);
  t.strictSame(await listed([OLD, 'other', 'm-20250101', 'gone']), ['other', OLD], 'not those that are gone');
});

test('an endpoint of one model has the builds that it serves', async (t) => {
  t.strictSame(await listed([OLD], 'm'), [OLD], 'a request that names none is answered by another');
  t.strictSame(await listed([OLD], OLD), [`${OLD} (default)`]);
  t.strictSame(await listed([OLD], NEW), []);
  t.strictSame(await listed([OLD], 'other'), []);
  t.strictSame(await listed([OLD, 'm'], OLD), [`${OLD} (default)`], 'the build that answers, once');
  for (const models of [null, ['m']]) t.strictSame(await listed(models, OLD), [`${OLD} (default)`]);
  t.strictSame(await listed(['other'], OLD), []);
  t.strictSame(await listed(null, NEW), ['m (default)']);
});
