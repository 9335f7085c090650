import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { tinyModel } from '../../models/tiny/index.js';
import { checkModel } from '../../src/engine/index.js';
import { addon, buildOf } from '../support/engine.js';
import { parseGguf, type TensorInfo } from '../support/parse-gguf.js';
import { LONG } from '../support/scale.js';
import { splitName, splitTinyModel } from '../support/split-gguf.js';

const SMALL = { layers: 2, globalEvery: 2 };
const NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
/** Bits of the numbers above as 16-bit floats. */
const HALVES = [0x7e00, 0x7c00, 0xfc00];
/** The numbers of GGUF's tensor types. */
const [F32, F16, Q4_0, Q8_0] = [0, 1, 2, 8];
/** Bytes of what holds a 16-bit float at its beginning: the number itself, or a block with its scale. */
const HALF_BYTES = new Map([
  [F16, 2],
  [Q4_0, 18],
  [Q8_0, 34],
]);

const sizeOf = ({ shape }: TensorInfo) => shape.reduce((product, side) => product * side, 1);

/** A file with one number of a tensor replaced: its first or its last. */
function spoiled(file: Buffer, tensor: TensorInfo, number: number, place: 'first' | 'last'): Buffer {
  const changed = Buffer.from(file);
  const count = sizeOf(tensor);
  if (tensor.type === F32) {
    changed.writeFloatLE(NUMBERS[number] as number, tensor.start + (place === 'first' ? 0 : 4 * (count - 1)));
    return changed;
  }
  const bytes = HALF_BYTES.get(tensor.type) as number;
  const blocks = tensor.type === F16 ? count : count / 32;
  changed.writeUInt16LE(
    HALVES[number] as number,
    tensor.start + (place === 'first' ? 0 : bytes * (blocks - 1)),
  );
  return changed;
}

/** The bytes of a small model by the type of its matrices. */
function modelsByType(folder: string): ReadonlyMap<string, Buffer> {
  const from = join(folder, 'f32.gguf');
  const found = new Map([['f32', tinyModel(SMALL)]]);
  writeFileSync(from, found.get('f32') as Buffer);
  for (const type of ['f16', 'q8_0', 'q4_0'] as const) {
    const to = join(folder, `${type}.gguf`);
    addon.quantizeModel(from, to, type);
    found.set(type, readFileSync(to));
  }
  return found;
}

const reasonOf = (file: string, bytes: Buffer): string | null => {
  writeFileSync(file, bytes);
  try {
    addon.requireFinite(file, 2);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

test('a weight that is NaN or infinite is found in every tensor, and the tensor is named', (t) => {
  const folder = t.testdir();
  const file = join(folder, 'spoiled.gguf');
  let cases = 0;
  for (const [type, model] of modelsByType(folder)) {
    t.equal(reasonOf(file, model), null, `${type}: the model itself`);
    const tensors = parseGguf(model).tensors.filter(({ name }) => name !== 'rope_freqs.weight');
    for (const [at, tensor] of tensors.entries()) {
      const chosen = LONG ? [0, 1, 2] : [at % NUMBERS.length];
      for (const number of chosen) {
        for (const place of LONG
          ? (['first', 'last'] as const)
          : ([at % 2 === 0 ? 'first' : 'last'] as const)) {
          const found = reasonOf(file, spoiled(model, tensor, number, place));
          cases += 1;
          if (found?.includes(` ${tensor.name} has a weight`) !== true)
            t.fail(`${type} ${tensor.name} ${NUMBERS[number]} ${place}: ${found}`);
        }
      }
    }
  }
  t.comment(`${cases} files`);
  t.end();
});

test('an infinite divisor of the rotation is a number like others', (t) => {
  const model = tinyModel(SMALL);
  const tensor = parseGguf(model).tensors.find(({ name }) => name === 'rope_freqs.weight') as TensorInfo;
  t.equal(reasonOf(join(t.testdir(), 'model.gguf'), spoiled(model, tensor, 1, 'first')), null);
  t.end();
});

test('a number of the metadata that is NaN or infinite', (t) => {
  const file = join(t.testdir(), 'model.gguf');
  for (const key of ['gemma4.attention.layer_norm_rms_epsilon', 'gemma4.rope.freq_base'])
    for (const value of NUMBERS) {
      const metadata = { [key]: { type: 'float32', value } } as const;
      t.equal(reasonOf(file, tinyModel({ ...SMALL, metadata })), `its metadata ${key} is NaN or infinite`);
    }
  const metadata = { 'gemma4.own': { type: 'float64', value: Number.NaN } } as const;
  t.equal(reasonOf(file, tinyModel({ ...SMALL, metadata })), 'its metadata gemma4.own is NaN or infinite');
  const others = { 'general.own': { type: 'float32', value: Number.NaN } } as const;
  t.equal(reasonOf(file, tinyModel({ ...SMALL, metadata: others })), null);
  // A list may have infinite bounds.
  for (const type of ['float32', 'float64'] as const)
    for (const value of NUMBERS) {
      const lists = { 'gemma4.own': { array: type, value: [0, 1, value] } } as const;
      const reason = Number.isNaN(value) ? 'its metadata gemma4.own is NaN or infinite' : null;
      t.equal(reasonOf(file, tinyModel({ ...SMALL, metadata: lists })), reason, `${type} ${value}`);
    }
  t.end();
});

test('a file that is cut, is empty, is no GGUF or is not there', (t) => {
  const file = join(t.testdir(), 'cut.gguf');
  const model = tinyModel(SMALL);
  const last = parseGguf(model).tensors.at(-1) as TensorInfo;
  t.match(reasonOf(file, model.subarray(0, last.start + 1)), /^its tensor \S+ ends behind the file/);
  t.match(reasonOf(file, Buffer.alloc(0)), /^it is no GGUF file$/);
  t.match(reasonOf(file, Buffer.from('<html>')), /^it is no GGUF file$/);
  t.throws(() => addon.requireFinite(`${file}.none`, 2), { message: 'it is no GGUF file' });
  t.end();
});

const check = (path: string, own = {}) =>
  checkModel({ backend: 'cpu', device: '', build: { ...buildOf(path), ...own }, threads: 1 });

test('a model is refused whose logits a soft cap keeps finite', async (t) => {
  const path = join(t.testdir(), 'model.gguf');
  const model = tinyModel(SMALL);
  const tensor = parseGguf(model).tensors.find(({ name }) => name === 'output_norm.weight') as TensorInfo;
  // Without the soft cap all logits would be infinite; with it they are 30 and -30.
  writeFileSync(path, spoiled(model, tensor, 1, 'first'));
  await t.rejects(check(path), {
    name: 'ModelError',
    message: `${path}: its tensor output_norm.weight has a weight that is NaN or infinite; the file is damaged`,
  });
});

test('every file of a split model is read, and that of the weight is named', async (t) => {
  const folder = t.testdir();
  const bytes = splitTinyModel(3, SMALL);
  const files = bytes.map((_, at) => ({ path: join(folder, splitName('tiny', at, 3)), sha256: '' }));
  const last = parseGguf(bytes[2] as Buffer).tensors.at(-1) as TensorInfo;
  bytes[2] = spoiled(bytes[2] as Buffer, last, 0, 'last');
  for (const [at, { path }] of files.entries()) writeFileSync(path, bytes[at] as Buffer);
  const [first, ...parts] = files;
  await t.rejects(check(first?.path as string, { parts }), {
    message: `${files[2]?.path}: its tensor ${last.name} has a weight that is NaN or infinite; the file is damaged`,
  });
});

test('a model is refused that gives every option the same logit', async (t) => {
  const path = join(t.testdir(), 'model.gguf');
  const model = Buffer.from(tinyModel(SMALL));
  const tensor = parseGguf(model).tensors.find(({ name }) => name === 'output_norm.weight') as TensorInfo;
  // As of a download whose file has its size, and not all of its bytes.
  model.fill(0, tensor.start, tensor.start + 4 * sizeOf(tensor));
  writeFileSync(path, model);
  await t.rejects(check(path), {
    name: 'ModelError',
    message: /gguf: every option of its first question has the same logit; /,
  });
});
