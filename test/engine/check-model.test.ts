import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import {
  type MetadataValue,
  type ProjectorKind,
  tinyModel,
  tinyProjector,
  tinyVocabulary,
} from '../../models/tiny/index.js';
import { type ChildLimits, checkModel, RENDER_MS_MAX } from '../../src/engine/index.js';
import { buildOf } from '../support/engine.js';
import { withoutNumbers, withValue } from '../support/gguf-file.js';
import { LONG } from '../support/scale.js';

const number = (value: number): MetadataValue => ({ type: 'uint32', value });
const float = (value: number): MetadataValue => ({ type: 'float32', value });
const text = (value: string): MetadataValue => ({ type: 'string', value });

const SMALL = { layers: 2, globalEvery: 2 };
const VOCABULARY_SIZE = tinyVocabulary().tokens.length;

interface Files {
  readonly model?: Buffer;
  readonly projector?: Buffer;
}

/** Writes files and checks them. */
function check(
  t: Test,
  { model = tinyModel(SMALL), projector }: Files,
  limits?: ChildLimits,
  stop?: AbortSignal,
) {
  const folder = t.testdir();
  const write = (name: string, bytes: Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return { path, sha256: '' };
  };
  const { path } = write('model.gguf', model);
  const reader = projector === undefined ? null : write('projector.gguf', projector);
  const build = buildOf(path, { reads_images: reader !== null }, reader);
  return checkModel({ backend: 'cpu', device: '', build, threads: 1 }, stop, limits);
}

/** One line that names the file. */
async function isRefused(t: Test, checked: Promise<unknown>, file: string, reason: RegExp) {
  const error: Error = await checked.then(
    () => new Error('it was not refused'),
    (refusal) => refusal,
  );
  t.match(error, { name: 'ModelError', message: reason });
  t.match(error.message, new RegExp(`^\\S*${file}\\.gguf: [^\\p{Cc}]+$`, 'u'));
}

/** At full scale all cases, else the first of each group: each of them is a process. */
function oneOfEach<Case>(cases: readonly Case[], group: (one: Case) => string): readonly Case[] {
  if (LONG) return cases;
  return cases.filter((one, at) => cases.findIndex((other) => group(other) === group(one)) === at);
}

test('a model without a fault: the facts that the check reports', async (t) => {
  const facts = await check(t, { model: tinyModel() });
  t.match(facts, { profile: 'letters', source: 'default', contextLength: 131_072, images: null });
  t.equal(facts.verified.labels.list.length, 26 + 4 * 26, 'the vocabulary has the pairs from AA to DZ');
  t.equal(facts.verified.labels.lettersOnly, null);
  t.equal(facts.logits.length, 3);
});

for (const kind of ['gemma4v', 'gemma4uv'] as const) {
  test(`a projector without a fault is asked for two images: ${kind}`, async (t) => {
    const facts = await check(t, { projector: tinyProjector({ kind }) });
    t.match(facts.images, { kind, side: 48, width: 64 });
  });
}

const METADATA: ReadonlyArray<readonly [key: string, value: MetadataValue, reason: RegExp]> = [
  ['gemma4.attention.value_length', number(1), /GGML_ASSERT/],
  ['gemma4.attention.value_length', number(0xffffffff), /failed to allocate/],
  ['gemma4.attention.key_length', number(0), /gguf: ./],
  ['gemma4.attention.head_count', number(0), /wrong shape/],
  ['gemma4.attention.shared_kv_layers', number(100), /GGML_ASSERT/],
  ['gemma4.attention.layer_norm_rms_epsilon', float(-1), /GGML_ASSERT/],
  ['gemma4.block_count', number(0), /GGML_ASSERT/],
  ['gemma4.block_count', number(513), /GGML_ASSERT/],
  ['gemma4.block_count', number(0xffffffff), /GGML_ASSERT/],
  ['gemma4.context_length', number(0), /takes \d+ tokens, which is more than 0/],
  ['gemma4.context_length', number(0xffffffff), /takes \d+ tokens, which is more than 0/],
  ['gemma4.embedding_length', number(0), /wrong shape/],
  ['gemma4.expert_count', number(100_000), /GGML_ASSERT/],
  ['gemma4.rope.dimension_count', number(3), /GGML_ASSERT/],
  ['gemma4.rope.dimension_count', number(100_000), /GGML_ASSERT/],
  ['gemma4.rope.freq_base', float(0), /not a number/],
  ['general.alignment', number(3), /alignment/],
  ['general.architecture', text('gemma\n\u001b[2J'), /gguf: ./],
  ['split.count', { type: 'uint16', value: 2 }, /split/],
  ['tokenizer.ggml.model', text('none'), /gguf: ./],
];

for (const [key, value, reason] of oneOfEach(METADATA, ([, , reason]) => reason.source)) {
  const shown = 'type' in value ? JSON.stringify(value.value) : '';
  test(`hostile metadata is refused in one line: ${key} ${shown}`, async (t) => {
    await isRefused(
      t,
      check(t, { model: tinyModel({ ...SMALL, metadata: { [key]: value } }) }),
      'model',
      reason,
    );
  });
}

test('a file without a vocabulary is refused with the reason', async (t) => {
  const metadata = { 'tokenizer.ggml.model': text('no_vocab'), 'gemma4.vocab_size': number(VOCABULARY_SIZE) };
  const checked = check(t, { model: tinyModel({ ...SMALL, metadata }) });
  await isRefused(t, checked, 'model', /gguf: the file has no vocabulary$/);
});

test('a template longer than any question may be is refused', async (t) => {
  const metadata = { 'tokenizer.chat_template': text(`{{ messages[0].content }}${' a b'.repeat(5_000)}`) };
  const checked = check(t, { model: tinyModel({ ...SMALL, metadata }) });
  await isRefused(t, checked, 'model', /its first question takes \d{5} tokens, which is more than 8192$/);
});

test('metadata that make llama.cpp loop are refused when the time of the check is over', async (t) => {
  const model = tinyModel({ ...SMALL, metadata: { 'gemma4.rope.dimension_count': number(0) } });
  const limits = { milliseconds: 1_000, dataBytes: 2 ** 31 };
  await isRefused(t, check(t, { model }, limits), 'model', /its check takes more than 1 s\./);
});

test('a check that needs more memory than it may have is refused', async (t) => {
  const limits = { milliseconds: 20_000, dataBytes: 2 ** 20 };
  // Node 22 waits for ever if its own threads do not start; other versions abort.
  const reason = /loading it ended the checking process|its check takes more than 20 s/;
  await isRefused(t, check(t, {}, limits), 'model', reason);
});

const LOOP = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}';
const GROWTH = '{% for a in range(1000000000000) %}{% endfor %}';

const TEMPLATES: ReadonlyArray<readonly [name: string, metadata: Record<string, MetadataValue>]> = [
  ['a chat template that grows without an end', { 'tokenizer.chat_template': text(GROWTH) }],
  ['a chat template with a loop without an end', { 'tokenizer.chat_template': text(LOOP) }],
  [
    'a decision template with a loop without an end',
    { 'gemma4.decision.type': text('nimble'), 'tokenizer.chat_template.systemone': text(LOOP) },
  ],
];

for (const [name, metadata] of oneOfEach(TEMPLATES, ([, metadata]) => Object.keys(metadata).join())) {
  test(`${name} is refused`, async (t) => {
    const reason = new RegExp(
      `takes more than ${RENDER_MS_MAX} ms|heap|memory|invalid size|Invalid array length`,
    );
    await isRefused(t, check(t, { model: tinyModel({ ...SMALL, metadata }) }), 'model', reason);
  });
}

const PROJECTORS: ReadonlyArray<readonly [ProjectorKind, key: string, value: number]> = [
  ['gemma4v', 'clip.vision.attention.head_count', 0],
  ['gemma4v', 'clip.vision.attention.head_count', 7],
  ['gemma4v', 'clip.vision.block_count', 0xffffffff],
  ['gemma4v', 'clip.vision.block_count', 3],
  ['gemma4v', 'clip.vision.embedding_length', 0],
  ['gemma4v', 'clip.vision.patch_size', 0],
  ['gemma4v', 'clip.vision.patch_size', 7],
  ['gemma4v', 'clip.vision.attention.layer_norm_epsilon', 0xffffffff],
  ['gemma4uv', 'clip.vision.patch_size', 0xffffffff],
];

for (const [kind, key, value] of oneOfEach(PROJECTORS, ([kind, key]) => `${kind} ${key}`)) {
  test(`a broken projector is refused in one line: ${kind}, ${key} ${value}`, async (t) => {
    const projector = withValue(tinyProjector({ kind }), key, value);
    await isRefused(t, check(t, { projector }), 'projector', /gguf: ./);
  });
}

for (const kind of ['gemma4v', 'gemma4uv'] as const) {
  test(`weights that are not numbers are refused: ${kind}`, async (t) => {
    const projector = withoutNumbers(tinyProjector({ kind }));
    await isRefused(t, check(t, { projector }), 'projector', /not a number/);
  });
}

test('weights that are not numbers are refused: the model', async (t) => {
  await isRefused(
    t,
    check(t, { model: withoutNumbers(tinyModel(SMALL)) }),
    'model',
    /has a weight that is NaN/,
  );
});

test('a check that is given up ends its process', async (t) => {
  const stop = new AbortController();
  const model = tinyModel({ ...SMALL, metadata: { 'gemma4.rope.dimension_count': number(0) } });
  const checked = check(t, { model }, undefined, stop.signal);
  setImmediate(() => stop.abort(new Error('no more')));
  await t.rejects(checked, { message: 'no more' });
  await t.rejects(check(t, {}, undefined, stop.signal), { message: 'no more' });
});
