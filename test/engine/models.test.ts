import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { type TinyModelOptions, writeTinyModel, writeTinyProjector } from '../../models/tiny/index.js';
import {
  Catalog,
  fillParts,
  type Manifest,
  noImages,
  openModel,
  readManifest,
  readTemperatures,
  verifyChecksum,
} from '../../src/engine/index.js';
import { DECISION_TYPES } from '../../src/engine/profile/metadata.js';
import { addon, buildOf, openTiny } from '../support/engine.js';

const text = (value: string) => ({ type: 'string' as const, value });
const decision = (type: string) => ({ 'gemma4.decision.type': text(type) });

function refused(folder: string, options: TinyModelOptions): string {
  try {
    openTiny(folder, options);
  } catch (error) {
    return (error as Error).message;
  }
  return 'it was not refused';
}

test('a truncated GGUF is refused in one line with the file and the reason', async (t) => {
  const path = join(t.testdir(), 'cut.gguf');
  writeTinyModel(path, {});
  const size = readFileSync(path).length;
  for (const length of [0, 3, 100, 20_000, Math.floor(size / 2), size - 1]) {
    truncateSync(path, 0);
    writeTinyModel(path, {});
    truncateSync(path, length);
    t.throws(
      () => openModel(addon, '', buildOf(path)),
      { message: /^[^\n]*cut\.gguf: [^\n]+$/ },
      `${length} bytes`,
    );
  }
});

test('an unknown architecture is refused', async (t) => {
  t.match(refused(t.testdir(), { architecture: 'gemma9' }), /tiny-\d+\.gguf: .*gemma9/);
});

test('a vocabulary without a single letter is refused, naming the letter', async (t) => {
  const without = refused(t.testdir(), { vocabulary: { without: ['B'] } });
  t.match(without, /tiny-\d+\.gguf: the letter B is not a single token/);
  const bytes = refused(t.testdir(), { vocabulary: { without: ['B', '<0x42>'] } });
  t.match(bytes, /the letter B is not a single token/);
});

test('a letter that merges with what stands before it is refused where the format joins them', async (t) => {
  const template = text(
    '{{ state }}{{ instructions }}{% for o in options %}{{ o.key }}{{ o.description }}{% endfor %}(',
  );
  const metadata = { ...decision('openjev'), 'tokenizer.chat_template.systemone': template };
  t.match(
    refused(t.testdir(), { metadata, vocabulary: { also: ['(A'] } }),
    /the letter A is not a single token/,
  );
  t.equal(refused(t.testdir(), { metadata }), 'it was not refused');
});

test('a GGUF of another kind of decision model is refused, and one without its template', async (t) => {
  t.match(
    refused(t.testdir(), { metadata: decision('clef') }),
    /decision type clef is not answered with letters/,
  );
  for (const [type, each] of Object.entries(DECISION_TYPES)) {
    if ('refused' in each)
      t.match(refused(t.testdir(), { metadata: decision(type) }), `with letters: ${each.refused}`);
  }
  t.match(
    refused(t.testdir(), { metadata: decision('__proto__') }),
    /with letters; supported are openjev, nimble/,
  );
  t.match(refused(t.testdir(), { metadata: decision('nimble') }), /no template named systemone/);
});

for (const [name, template, reason] of [
  ['does not parse', '{% if %}', /does not parse/],
  ['leaves the state out', '{{ instructions }}', /renders the question before the state/],
  ['shows the question first', '{{ instructions }}{{ state }}', /renders the question before the state/],
  ['leaves the instructions out', '{{ state }}', /does not render the instructions/],
  ['changes a text', '{{ state | upper | replace("<", "") }}', /changes its inputs/],
  ['shows all questions', '{{ state }}{{ questions[0].id }}', /changes its inputs/],
  [
    'shows the type before the state',
    '{{ type }} {{ state }}{{ instructions }}{% for o in options %}{{ o.key }}{{ o.description }}{% endfor %}',
    /before the state/,
  ],
] as const) {
  test(`a decision template that ${name} is refused`, async (t) => {
    const metadata = { ...decision('nimble'), 'tokenizer.chat_template.systemone': text(template) };
    t.match(refused(t.testdir(), { metadata }), reason);
  });
}

for (const filter of ['upper', 'title', 'indent(4)', 'replace("\\n", " ")', 'replace("a", "b")', 'escape']) {
  test(`a decision template that applies ${filter} to the state is refused`, async (t) => {
    const template = `{{ state | ${filter} }}{{ instructions }}{% for o in options %}{{ o.key }}{{ o.description }}{% endfor %}`;
    const metadata = { ...decision('nimble'), 'tokenizer.chat_template.systemone': text(template) };
    t.match(refused(t.testdir(), { metadata }), /decision template (changes its inputs|does not render)/);
  });
}

test('a decision template that trims is followed', async (t) => {
  const template =
    '<bos>{{ state | trim }}|{{ instructions }}{% for o in options %}{{ o.key }}{{ o.description }}{% endfor %}';
  const metadata = { ...decision('nimble'), 'tokenizer.chat_template.systemone': text(template) };
  const { profile, tokenizer } = openTiny(t.testdir(), { metadata });
  const shape = {
    type: 'noul',
    stateIsText: true,
    hasInstructions: true,
    described: [false, false],
  } as const;
  const { prefix } = profile.skeleton(shape);
  const tokens = fillParts(prefix, tokenizer, () => [' \n a b \n'], noImages);
  const shown = Buffer.concat([...tokens].map((token) => tokenizer.piece(token))).toString('utf8');
  t.equal(shown, '<bos>a b');
});

test('a shape that was no sample, and that the template treats otherwise, is refused when it comes', async (t) => {
  const template =
    '{% if options|length == 4 %}FOUR{% endif %}{{ state }}{{ instructions }}{% for o in options %}{{ o.key }}{{ o.description }}{% endfor %}';
  const metadata = { ...decision('nimble'), 'tokenizer.chat_template.systemone': text(template) };
  const { profile } = openTiny(t.testdir(), { metadata });
  const shape = (options: number) => ({
    type: 'choice' as const,
    stateIsText: true,
    hasInstructions: true,
    described: Array.from({ length: options }, () => false),
  });
  t.ok(profile.skeleton(shape(3)));
  t.throws(() => profile.skeleton(shape(4)), { name: 'ProfileError' });
});

test('a shape that was no sample, and that the template takes too long for, is refused when it comes', async (t) => {
  const template =
    '{% if options|length == 4 %}{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}{% endif %}{{ state }}{{ instructions }}{% for o in options %}{{ o.key }}{{ o.description }}{% endfor %}';
  const metadata = { ...decision('nimble'), 'tokenizer.chat_template.systemone': text(template) };
  const { profile } = openTiny(t.testdir(), { metadata });
  const shape = {
    type: 'choice' as const,
    stateIsText: true,
    hasInstructions: true,
    described: [true, true, true, true],
  };
  t.throws(() => profile.skeleton(shape), { name: 'ProfileError', message: /takes more than/ });
});

test('a name that JavaScript objects inherit is not a profile, decision type or question type', async (t) => {
  t.match(
    refused(t.testdir(), { metadata: decision('constructor') }),
    /decision type constructor is not answered/,
  );
  t.throws(() => openTiny(t.testdir(), {}, { profile: '__proto__' }), /known are letters, mapika, winnow/);
  t.throws(
    () => openTiny(t.testdir(), {}, { temperatures: { 'choice.constructor': 1 } }),
    /no known question type/,
  );
});

test('temperatures: the bucket of the option count, else the type, else 1; GGUF before manifest', async (t) => {
  const number = (value: number) => ({ type: 'float32' as const, value });
  const metadata = {
    'gemma4.decision.temperature.choice': number(2),
    'gemma4.decision.temperature.choice.3_5': number(3),
    'gemma4.decision.temperature.noul': number(0.5),
  };
  const { temperatures } = openTiny(t.testdir(), { metadata }, { temperatures: { score: 9 } }).profile;
  t.strictSame(
    [2, 3, 5, 6].map((options) => temperatures.of('choice', options)),
    [2, 3, 3, 2],
  );
  t.equal(temperatures.of('noul', 2), 0.5);
  t.equal(temperatures.of('score', 4), 1);
  const stated = openTiny(t.testdir(), {}, { temperatures: { score: 9 } }).profile.temperatures;
  t.equal(stated.of('score', 4), 9);
  const wrong = { 'gemma4.decision.temperature.noul': number(0) };
  t.match(refused(t.testdir(), { metadata: wrong }), /gguf: its temperature noul is not a positive number$/);
  const entry = 'gguf: the manifest entry of \\S+ cannot be used: its temperature';
  for (const [own, fault] of [
    [{ score: 0 }, 'score is not a positive number'],
    [{ rank: 1 }, 'rank names no known question type or bucket'],
  ] as const)
    t.throws(() => openTiny(t.testdir(), {}, { temperatures: own }), new RegExp(`${entry} ${fault}$`));
});

test('fitted temperatures replace all others of the types that they name', (t) => {
  const declared = { choice: 2, 'choice.3_5': 3, noul: 0.5 };
  const { of, values } = readTemperatures(declared, { choice: 1.5, 'choice.11': 4 });
  t.strictSame(
    [2, 3, 10, 11].map((options) => of('choice', options)),
    [1.5, 1.5, 1.5, 4],
  );
  t.equal(of('noul', 2), 0.5);
  t.strictSame(values, { noul: 0.5, choice: 1.5, score: 1, 'choice.11': 4 });
  const both = { 'choice.small': 5, 'choice.large': 6, 'choice.3_5': 7, 'choice.11': 8 };
  t.strictSame(
    [2, 3, 8, 9, 27].map((options) => readTemperatures(both).of('choice', options)),
    [5, 7, 5, 1, 8],
    'of two ranges that hold an option count, 2, 3_5, 6_10 and 11 apply first',
  );
  t.throws(() => readTemperatures({}, { 'choice.11': 0 }), /choice.11 is not a positive number/);
  t.throws(() => readTemperatures({}, { 'choice.12': 1 }), /no known question type or bucket/);
  t.end();
});

test('a projector that does not fit is refused in one line with the file and the reason', async (t) => {
  const folder = t.testdir();
  const path = join(folder, 'projector.gguf');
  const open = () => openTiny(folder, {}, { reads_images: true }, { path, sha256: '' });
  const refusal = () => {
    try {
      open();
    } catch (error) {
      return (error as Error).message;
    }
    return 'it was not refused';
  };
  t.match(refusal(), /^[^\n]*projector\.gguf: it is no GGUF file$/, 'no file');
  writeFileSync(path, 'GGUF');
  t.match(refusal(), /^[^\n]*projector\.gguf: it is no GGUF file$/, 'a broken one');
  writeTinyModel(path, {});
  t.match(refusal(), /^[^\n]*projector\.gguf: its kind of projector, none, is not supported[^\n]*$/);
  writeTinyProjector(path, { kind: 'gemma4v', width: 32 });
  t.match(refusal(), /^[^\n]*projector\.gguf: its embeddings have 32 numbers and those of the model 64$/);
  writeTinyProjector(path, { kind: 'gemma4v' });
  t.match(open().images, { kind: 'gemma4v', side: 48, width: 64 });
  writeTinyProjector(path, { kind: 'gemma4uv' });
  t.match(open().images, { kind: 'gemma4uv', side: 48, width: 64 });
  const without = { vocabulary: { without: ['<image|>'] } };
  t.throws(
    () => openTiny(folder, without, { reads_images: true }, { path, sha256: '' }),
    /the model has no token <image\|>/,
  );
});

test('a projector is verified as the model is', async (t) => {
  const path = join(t.testdir({ 'a.gguf': 'content' }), 'a.gguf');
  const sha256 = createHash('sha256').update('content').digest('hex');
  await verifyChecksum({ ...buildOf(path), sha256, projector: { path, sha256 } });
  const other = { path, sha256: '0'.repeat(64) };
  await t.rejects(verifyChecksum({ ...buildOf(path), sha256, projector: other }), /a\.gguf: its SHA-256 is/);
});

test('a checksum that differs is refused, and a file that is not there', async (t) => {
  const path = join(t.testdir({ 'a.gguf': 'content' }), 'a.gguf');
  const sha256 = createHash('sha256').update('content').digest('hex');
  await verifyChecksum({ ...buildOf(path), sha256 });
  await t.rejects(verifyChecksum({ ...buildOf(path), sha256: '0'.repeat(64) }), /a\.gguf: its SHA-256 is/);
  await t.rejects(verifyChecksum({ ...buildOf(`${path}x`), sha256 }), /a\.ggufx: no such file/);
});

const MODEL = {
  id: 'big',
  description: 'A model.',
  release_date: null,
  builds: [
    { date: '20260101', file: 'old.gguf', sha256: '0'.repeat(64) },
    { date: '20260601', file: 'new.gguf', sha256: '1'.repeat(64) },
  ],
  answers_for: ['other'],
  reads_images: false,
  price_class: 'big',
};

const PROJECTOR = { file: 'projector.gguf', sha256: '2'.repeat(64) };

function manifest(folder: string, value: unknown) {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(value));
  return readManifest(folder);
}

test('catalog: ids and aliases stand for the newest build, build names for their own build, other names for none', async (t) => {
  const folder = t.testdir();
  const catalog = new Catalog(await manifest(folder, { default: 'big', models: [MODEL] }), folder);
  t.equal(catalog.find('big')?.id, 'big-20260601');
  t.equal(catalog.find('other')?.id, 'big-20260601');
  t.equal(catalog.find(null)?.id, 'big-20260601');
  t.equal(catalog.find('big-20260101')?.path, join(folder, 'old.gguf'));
  t.equal(catalog.find('big-20250101'), undefined);
  t.equal(catalog.find('constructor'), undefined);
  t.strictSame(
    catalog.list().map(({ id }) => id),
    ['big', 'other'],
  );
});

test('catalog: the newest build is the one with the latest date, also as the first of the list', async (t) => {
  const folder = t.testdir();
  const builds = [...MODEL.builds].reverse();
  const catalog = new Catalog(
    await manifest(folder, { default: 'big', models: [{ ...MODEL, builds }] }),
    folder,
  );
  for (const name of ['big', 'other', null]) t.equal(catalog.find(name)?.id, 'big-20260601');
});

test('catalog: the calibration of a build changes with what decides its probabilities, and with nothing else', async (t) => {
  const folder = t.testdir();
  const of = (own: object, first: object = {}) => {
    const [old, next] = MODEL.builds;
    const models = [{ ...MODEL, builds: [{ ...old, ...first }, next], ...own }];
    return new Catalog({ default: 'big', models } as unknown as Manifest, folder).find('big-20260101')
      ?.calibration as string;
  };
  const plain = of({});
  const fitted = of({}, { temperatures: { noul: 2, choice: 3 } });
  const all = [
    plain,
    fitted,
    of({}, { temperatures: { noul: 2 } }),
    of({}, { temperatures: { noul: 2, choice: 4 } }),
    of({ temperatures: { noul: 2, choice: 3 } }),
    of({ profile: 'mapika' }),
    of({}, { sha256: '3'.repeat(64) }),
    of({}, { projector: PROJECTOR }),
  ];
  t.equal(new Set(all).size, all.length);
  t.equal(of({}, { temperatures: { choice: 3, noul: 2 } }), fitted, 'their order does not matter');
  for (const own of [{ context_length: 64 }, { answers_for: [] }, { price_class: 'x' }])
    t.equal(of(own), plain);
});

for (const [fault, value, reason] of [
  ['a field is missing', { default: 'big', models: [{ ...MODEL, price_class: undefined }] }, /models\.0/],
  ['a field is unknown', { default: 'big', models: [{ ...MODEL, colour: 'red' }] }, /models\.0/],
  [
    'a checksum is no checksum',
    { default: 'big', models: [{ ...MODEL, builds: [{ ...MODEL.builds[0], sha256: 'x' }] }] },
    /models\.0\.builds\.0\.sha256/,
  ],
  [
    'images without a projector',
    { default: 'big', models: [{ ...MODEL, reads_images: true }] },
    /big reads images, but has a build without a projector/,
  ],
  [
    'a projector without images',
    { default: 'big', models: [{ ...MODEL, builds: [{ ...MODEL.builds[0], projector: PROJECTOR }] }] },
    /big has a projector, but reads no images/,
  ],
  [
    'a device is named twice',
    { default: 'big', models: [{ ...MODEL, engine: { devices: ['CUDA0', 'CUDA1', 'CUDA0'] } }] },
    /big: engine\.devices names CUDA0 twice/,
  ],
  ['a name is given twice', { default: 'big', models: [MODEL, { ...MODEL, builds: [] }] }, /builds|twice/],
  ['the default is no model', { default: 'small', models: [MODEL] }, /default names small/],
] as const) {
  test(`manifest: refused where ${fault}`, async (t) => {
    await t.rejects(manifest(t.testdir(), value), { name: 'ModelError', message: reason });
  });
}

test('manifest: a file that is not JSON, or does not exist, is named in the error', async (t) => {
  const folder = t.testdir({ 'manifest.json': '{' });
  await t.rejects(readManifest(folder), /manifest\.json: /);
  await t.rejects(readManifest(join(folder, 'nowhere')), /nowhere.*manifest\.json: /);
});
