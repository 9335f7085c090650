import { test } from 'tap';
import { type ModelOptions, newBuild } from '../../src/cli/model-options.js';
import { ownModels, requireChangeable } from '../../src/cli/own-models.js';
import { loadSettings } from '../../src/settings/index.js';

const NOW = Date.UTC(2026, 10, 22);
const settings = loadSettings({ DECIDER_BILLING_PRICES: 'a=1/1,known=2/1' }, undefined);
const made = (options: ModelOptions, fileName = 'Tiny-Q8_0.gguf', released: number | null = null) =>
  newBuild(options, { fileName, released, description: 'A file.' }, settings, NOW);

test('ids come from the names of files', async (t) => {
  for (const [fileName, id] of [
    ['Qwen2.5-0.5B-Instruct-Q4_K_M.gguf', 'qwen2.5-0.5b-instruct-q4-k-m'],
    ['m-00001-of-00003.gguf', 'm'],
    ['__x  y.GGUF', 'x-y'],
    ['日本.gguf', 'model'],
    [`${'a'.repeat(62)}--b.gguf`, 'a'.repeat(62)],
  ] as const) {
    t.equal(made({}, fileName).model.id, id, fileName);
  }
});

test('a day at the end of the name of a file is the date of the build', async (t) => {
  t.match(made({}, 'decider-g-nano-20261124.gguf'), { model: { id: 'decider-g-nano' }, date: '20261124' });
  t.match(made({ id: 'other' }, 'nano-20261124.gguf'), { model: { id: 'other' }, date: '20261124' });
  t.match(made({ date: '20260101' }, 'nano-20261124.gguf'), { model: { id: 'nano' }, date: '20260101' });
  t.match(made({}, 'nano-20261324.gguf'), { model: { id: 'nano-20261324' }, date: '20261122' });
  t.match(made({}, 'nano-20260230.gguf'), { model: { id: 'nano-20260230' }, date: '20261122' });
  t.match(made({}, 'nano-20280229.gguf'), { model: { id: 'nano' }, date: '20280229' });
  t.throws(() => made({}, 'all.gguf'), { message: /^--id: "all" means/ });
  t.match(made({}, '20261124.gguf'), { model: { id: '20261124' }, date: '20261122' });
});

test('dates, price classes and fields', async (t) => {
  t.match(made({}), {
    date: '20261122',
    model: { release_date: null, price_class: 'a', description: 'A file.' },
  });
  t.match(made({}, 'x.gguf', Date.UTC(2026, 0, 2)), {
    date: '20260102',
    model: { release_date: '2026-01-02' },
  });
  t.match(made({ id: 'known' }).model, { price_class: 'known' });
  t.strictSame(made({ profile: 'mapika', contextLength: '64' }).given, ['profile', 'context_length']);
  t.strictSame(Object.hasOwn(made({}).model, 'profile'), false);
});

test('wrong options are refused by name', async (t) => {
  for (const [options, message] of [
    [{ id: 'Images' }, /^--id: "Images" must have/],
    [{ id: 'a'.repeat(64) }, /^--id: /],
    ...['2026-01-02', '20261332', '20260230', '20270229', '00000000', '20261100', '202611221', ''].map(
      (date) => [{ date }, /^--date: "\S*" is not a day of the calendar such as 20261121/] as const,
    ),
    [{ id: 'all' }, /^--id: "all" means every model/],
    [{ id: 'default' }, /^--id: "default" means the default model/],
    [{ profile: 'x' }, /^--profile: x is not one of letters/],
    [{ contextLength: '63' }, /^--context-length must be/],
    [{ contextLength: 'many' }, /^--context-length must be/],
    [{ priceClass: 'x' }, /^--price-class: billing\.prices has no x\. It has: a, known\./],
  ] as const) {
    t.throws(() => made(options), { message });
  }
  t.equal(made({ id: 'a'.repeat(63) }).model.id.length, 63);
});

test('models are not installed into a package that npm replaces', async (t) => {
  const inPackage = '/srv/node_modules/decider/models';
  t.equal(ownModels({ models: inPackage }, inPackage), './models');
  t.equal(
    ownModels({ models: '/srv/decider/models' }, '/srv/decider/models'),
    '/srv/decider/models',
    'a clone',
  );
  t.equal(ownModels({ models: '/srv/models' }, inPackage), '/srv/models');
});

test('models are not installed into a bundle, and its manifest is not changed', async (t) => {
  const embedded = '/opt/decider/models';
  t.equal(ownModels({ models: embedded }, embedded, true), './models');
  t.equal(ownModels({ models: '/srv/models' }, embedded, true), '/srv/models');
  t.throws(() => requireChangeable({ models: embedded }, embedded, true), {
    message: /^The manifest of the embedded model is part of the bundle and is not changed\. Set models/,
  });
  requireChangeable({ models: '/srv/models' }, embedded, true);
  requireChangeable({ models: embedded }, embedded, false);
});
