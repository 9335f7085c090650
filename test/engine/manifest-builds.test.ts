import { test } from 'tap';
import { addBuild, type Manifest, type NewBuild, removeBuilds } from '../../src/engine/index.js';

const sha = (letter: string) => letter.repeat(64);
const build = (date: string, letter = 'a') => ({ date, file: `${letter}.gguf`, sha256: sha(letter) });
const model = { description: 'd', release_date: null, reads_images: false, price_class: 'p' };

const MANIFEST: Manifest = {
  default: 'one',
  models: [
    { ...model, id: 'one', builds: [build('20260101'), build('20260202', 'b')], answers_for: ['uno'] },
    { ...model, id: 'two', builds: [build('20260101', 'c')] },
    {
      ...model,
      id: 'nano',
      builds: [build('20260101', 'd')],
      answers_for: ['big', 'other'],
      random_weights: true,
    },
  ],
};

const added = (
  id: string,
  own: Partial<NewBuild> = {},
  fields: Partial<NewBuild['model']> = {},
): NewBuild => ({
  build: build('20260303', 'e'),
  model: { ...model, id, ...fields },
  given: [],
  idGiven: true,
  makeDefault: false,
  ...own,
});

test('temperatures that were fitted for the same files under another name are used too', async (t) => {
  const temperatures = { choice: 1.5 };
  const [one, two, nano] = MANIFEST.models as [Manifest['models'][0], ...Manifest['models']];
  const fitted = { ...build('20260101', 'e'), temperatures };
  const manifest = {
    ...MANIFEST,
    models: [{ ...one, builds: [fitted] }, two as typeof one, nano as typeof one],
  };
  const change = addBuild(manifest, added('new'));
  t.strictSame(change.manifest.models.at(-1)?.builds[0]?.temperatures, temperatures);
  t.match(change.notices.join(' '), 'fitted for one-20260101, which has the same files, are used too');
  const other = addBuild(manifest, added('new', {}, { profile: 'mapika' }));
  t.equal(other.manifest.models.at(-1)?.builds[0]?.temperatures, undefined, 'of another profile');
  t.equal(addBuild(MANIFEST, added('new')).manifest.models.at(-1)?.builds[0]?.temperatures, undefined);
});

test('the first model of a manifest is its default', async (t) => {
  const { manifest } = addBuild(null, added('first'));
  t.equal(manifest.default, 'first');
  t.strictSame(Object.keys(manifest.models[0] ?? {}).slice(0, 4), [
    'id',
    'description',
    'release_date',
    'builds',
  ]);
});

test('a new model is appended; the default changes only if asked for', async (t) => {
  const { manifest, notices } = addBuild(MANIFEST, added('new'));
  t.equal(manifest.models.at(-1)?.id, 'new');
  t.equal(manifest.default, 'one');
  t.match(notices, [/still use one; --default/]);
  const chosen = addBuild(MANIFEST, added('new', { makeDefault: true }));
  t.equal(chosen.manifest.default, 'new');
  t.strictSame(chosen.notices, []);
});

test('the same files in another place: the paths are replaced only on request, and nothing else', async (t) => {
  const place = { ...build('20260909'), file: 'new/a.gguf' };
  const fitted = { ...build('20260101'), temperatures: { noul: 2 } };
  const [one, ...others] = MANIFEST.models as [Manifest['models'][number]];
  const manifest = { ...MANIFEST, models: [{ ...one, builds: [fitted] }, ...others] };
  const kept = addBuild(manifest, added('one', { build: place }));
  t.equal(kept.manifest, manifest);
  const { manifest: moved, name } = addBuild(manifest, added('one', { build: place, replacesPaths: true }));
  t.equal(name, 'one-20260101');
  t.strictSame(moved.models, [{ ...one, builds: [{ ...fitted, file: 'new/a.gguf' }] }, ...others]);
  const same = addBuild(moved, added('one', { build: place, replacesPaths: true }));
  t.equal(same.manifest, moved);
});

test('a name that a random or narrow model stands in for is taken over; others are refused', async (t) => {
  const { random_weights: _, ...nano } = MANIFEST.models[2] as Manifest['models'][number];
  for (const standIn of [
    { ...nano, random_weights: true },
    { ...nano, domain: 'support messages' },
  ]) {
    const models = [...MANIFEST.models.slice(0, 2), standIn];
    const { manifest, notices } = addBuild({ ...MANIFEST, models }, added('big'));
    t.strictSame(manifest.models[2]?.answers_for, ['other']);
    t.match(notices[0], /^nano no longer answers for big\.$/);
  }
  t.throws(() => addBuild(MANIFEST, added('uno')), {
    message: /has the name uno already, for one\. Give another --id/,
  });
  t.throws(() => addBuild(MANIFEST, added('two-20260101')), { message: /has the name two-20260101 already/ });
});

test('a further build of a model', async (t) => {
  const { manifest, notices } = addBuild(MANIFEST, added('one'));
  t.strictSame(
    manifest.models[0]?.builds.map(({ date }) => date),
    ['20260101', '20260202', '20260303'],
  );
  t.match(notices, [/^one is answered by the new build/]);
  const older = addBuild(MANIFEST, added('one', { build: build('20251231', 'c') }));
  t.match(older.notices, [/^one is still answered by one-20260202, whose date is later than 20251231\./]);
  const same = addBuild(MANIFEST, added('one', { build: build('20260202', 'b') }));
  t.equal(same.manifest, MANIFEST);
  t.match(same.notices, [/one-20260202 has these files already; its entry is unchanged/]);
  const later = addBuild(MANIFEST, added('one', { build: build('20260303', 'b'), idGiven: false }));
  t.match(later, { manifest: MANIFEST, name: 'one-20260202' }, 'the same files under another date');
  t.equal(addBuild(MANIFEST, added('one')).name, 'one-20260303');
  t.throws(() => addBuild(MANIFEST, added('one', { idGiven: false })), {
    message: /has another model one\. Give an --id of its own, or --id one to make it the newest build/,
  });
  const other = { build: build('20260202', 'x') };
  t.throws(() => addBuild(MANIFEST, added('one', other)), {
    message: /another build one-20260202. Give another --date or --id/,
  });
  t.throws(() => addBuild(MANIFEST, added('one', {}, { reads_images: true })), {
    message: /Give --projector none, or another --id/,
  });
  const reading = { ...MANIFEST, models: MANIFEST.models.map((each) => ({ ...each, reads_images: true })) };
  t.throws(() => addBuild(reading, added('one')), { message: /its builds need a projector/ });
  t.throws(() => addBuild(MANIFEST, added('one', { given: ['profile'] }, { profile: 'mapika' })), {
    message: /^one has the profile null, which applies to all its builds/,
  });
  t.ok(addBuild(MANIFEST, added('one', { given: ['price_class'] })));
  const fitted = { ...MANIFEST, models: [{ ...MANIFEST.models[0], temperatures: { noul: 2 } }] } as Manifest;
  t.match(addBuild(fitted, added('one')).notices, [/new build/, /temperatures of one .* Fit them again/]);
});

test('builds and models are removed by name', async (t) => {
  const older = removeBuilds(MANIFEST, 'one-20260101', false);
  t.strictSame(
    older.manifest.models[0]?.builds.map(({ date }) => date),
    ['20260202'],
  );
  t.strictSame(older.removed, [build('20260101')]);
  const whole = removeBuilds(MANIFEST, 'two', false);
  t.strictSame(
    whole.manifest.models.map(({ id }) => id),
    ['one', 'nano'],
  );
  const last = removeBuilds(MANIFEST, 'two-20260101', false);
  t.strictSame(
    last.manifest.models.map(({ id }) => id),
    ['one', 'nano'],
  );
  t.throws(() => removeBuilds(MANIFEST, 'three', true), {
    message: /has no model three\. Run: decider models list/,
  });
  t.throws(() => removeBuilds(MANIFEST, 'uno', true), {
    message: /^uno is another name of one\. Remove one/,
  });
});

test('the default is removed only by force, the only model never', async (t) => {
  for (const name of ['one', 'one-20260202']) {
    t.throws(() => removeBuilds(MANIFEST, name, false), {
      message: /answers requests that name no model.*--force/,
    });
  }
  t.equal(removeBuilds(MANIFEST, 'one-20260202', true).manifest.default, 'one');
  const { manifest, notices } = removeBuilds(MANIFEST, 'one', true);
  t.equal(manifest.default, 'two');
  t.match(notices, [/are answered by two from the next start or decider reload on/]);
  const alias = { ...MANIFEST, default: 'uno' };
  t.throws(() => removeBuilds(alias, 'one', false), { message: /--force/ });
  const pinned = { ...MANIFEST, default: 'one-20260101' };
  t.throws(() => removeBuilds(pinned, 'one-20260101', false), { message: /--force/ });
  t.equal(removeBuilds(pinned, 'one-20260202', false).manifest.default, 'one-20260101');
  const only = { default: 'two', models: MANIFEST.models.slice(1, 2) };
  t.throws(() => removeBuilds(only, 'two', true), { message: /^two is the only model of the manifest/ });
});
