import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import {
  CHAT_TEMPLATE,
  RANDOM_MODEL_OPTIONS,
  RANDOM_PROJECTOR_FILE,
  RANDOM_PROJECTOR_OPTIONS,
  tinyModel,
  tinyProjector,
  writeTinyModel,
} from '../../models/tiny/index.js';
import { parseGguf } from '../support/parse-gguf.js';

const RANDOM_SHA256 = '60e0581200ec653436405088e9ddeba7ffd1dbd1d2d50ada67ad6231c9d29d2b';
const RANDOM_BYTES = 1145792;
const PROJECTOR_SHA256 = 'c1c8bcd8347586f757d1951aaf07505ea33ee3d8c0ff90e05e3091c4f1f17a92';
const root = fileURLToPath(new URL('../../../', import.meta.url));

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

test('the random model is the same file everywhere', async (t) => {
  const bytes = tinyModel(RANDOM_MODEL_OPTIONS);
  t.equal(bytes.length, RANDOM_BYTES);
  t.equal(sha256(bytes), RANDOM_SHA256);
  t.equal(sha256(tinyProjector(RANDOM_PROJECTOR_OPTIONS)), PROJECTOR_SHA256);
  const manifest = join(root, 'models/random/manifest.json');
  if (existsSync(manifest)) {
    t.match(readFileSync(manifest, 'utf8'), RANDOM_SHA256);
    t.match(readFileSync(manifest, 'utf8'), PROJECTOR_SHA256);
  }
});

test('the header describes the model', async (t) => {
  const { metadata, tensors } = parseGguf(tinyModel({ metadata: { more: { type: 'uint8', value: 7 } } }));
  t.equal(metadata.get('general.architecture'), 'gemma4');
  t.equal(metadata.get('gemma4.context_length'), 131072);
  t.equal(metadata.get('gemma4.final_logit_softcapping'), 30);
  t.strictSame(metadata.get('gemma4.attention.sliding_window_pattern'), [
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  t.equal(metadata.get('tokenizer.chat_template'), CHAT_TEMPLATE);
  t.equal(metadata.get('more'), 7);
  const tokens = metadata.get('tokenizer.ggml.tokens') as string[];
  t.strictSame(tensors.find(({ name }) => name === 'token_embd.weight')?.shape, [64, tokens.length]);
  t.ok(tensors.every(({ start }) => start % 32 === 0));
});

test('in a half-precision file the vectors stay in single precision', async (t) => {
  const { tensors } = parseGguf(tinyModel({ type: 'f16' }));
  t.ok(tensors.every(({ shape, type }) => type === (shape.length === 1 ? 0 : 1)));
});

test('seeds give other weights, options another shape', async (t) => {
  t.notOk(tinyModel({ seed: 1 }).equals(tinyModel({ seed: 2 })));
  const names = (keysAsValues: boolean) =>
    parseGguf(tinyModel({ keysAsValues, layers: 2 })).tensors.map(({ name }) => name);
  t.strictSame(
    names(false).filter((name) => !names(true).includes(name)),
    ['blk.1.attn_v.weight'],
  );
  t.throws(() => tinyModel({ layers: 1 }), RangeError);
});

test('broken on request: no template, an unknown architecture', async (t) => {
  const { metadata } = parseGguf(tinyModel({ chatTemplate: null, architecture: 'unheard-of' }));
  t.notOk(metadata.has('tokenizer.chat_template'));
  t.equal(metadata.get('unheard-of.block_count'), 6);
});

test('a written file is whole, and leaves no other', async (t) => {
  const folder = t.testdir({});
  writeTinyModel(join(folder, 'a.gguf'), { seed: 3 });
  t.ok(readFileSync(join(folder, 'a.gguf')).equals(tinyModel({ seed: 3 })));
  t.throws(() => writeTinyModel(join(folder, 'b.gguf'), { layers: 0 }), RangeError);
  t.strictSame(readdirSync(folder), ['a.gguf']);
});

test('the command writes the random model once, and again when it differs', async (t) => {
  const folder = t.testdir({});
  const run = (...flags: string[]) =>
    execFileSync(process.execPath, [command, ...flags], { encoding: 'utf8' });
  const command = join(folder, 'dist/models/tiny/main.js');
  cpSync(join(root, 'dist/models/tiny'), join(folder, 'dist/models/tiny'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const path = join(folder, 'models/random/decider-random-20261121.gguf');

  t.match(run('--if-missing'), `${RANDOM_BYTES} bytes sha256 ${RANDOM_SHA256}\n`);
  t.equal(sha256(readFileSync(path)), RANDOM_SHA256);
  t.equal(sha256(readFileSync(join(folder, RANDOM_PROJECTOR_FILE))), PROJECTOR_SHA256);
  const before = statSync(path).ino;
  t.equal(run('--if-missing'), '');
  t.equal(statSync(path).ino, before);
  writeFileSync(path, 'cut off');
  t.match(run('--if-missing'), RANDOM_SHA256);
  t.equal(sha256(readFileSync(path)), RANDOM_SHA256);
  t.match(run(), RANDOM_SHA256);
});
