import { test } from 'tap';
import { ggufPieces, type MetadataValue, type Tensor } from '../../models/tiny/gguf.js';
import { fromHalf } from '../../models/tiny/half.js';
import { parseGguf } from '../support/parse-gguf.js';

function file(metadata: Record<string, MetadataValue>, tensors: Tensor[] = []): Buffer {
  return Buffer.concat([...ggufPieces(metadata, tensors)]);
}

test('every kind of metadata is read back', async (t) => {
  const values: Record<string, MetadataValue> = {
    u8: { type: 'uint8', value: 255 },
    i8: { type: 'int8', value: -128 },
    u16: { type: 'uint16', value: 65535 },
    i16: { type: 'int16', value: -32768 },
    u32: { type: 'uint32', value: 4294967295 },
    i32: { type: 'int32', value: -2147483648 },
    f32: { type: 'float32', value: 0.5 },
    f64: { type: 'float64', value: 0.1 },
    u64: { type: 'uint64', value: 2n ** 64n - 1n },
    i64: { type: 'int64', value: -(2n ** 63n) },
    yes: { type: 'bool', value: true },
    text: { type: 'string', value: 'a ▁ 😀' },
    texts: { array: 'string', value: ['', 'x', 'ä'] },
    flags: { array: 'bool', value: [true, false] },
    none: { array: 'int32', value: [] },
  };
  const header = parseGguf(file(values));
  t.equal(header.magic, 'GGUF');
  t.equal(header.version, 3);
  for (const [key, { value }] of Object.entries(values)) t.strictSame(header.metadata.get(key), value, key);
  t.equal(header.metadata.size, Object.keys(values).length);
});

test('tensors start on multiples of 32 bytes and keep their numbers', async (t) => {
  const numbers = [1, -0.5, 0.25];
  const fill = () => Float32Array.from(numbers);
  const bytes = file({ k: { type: 'uint8', value: 1 } }, [
    { name: 'half', shape: [3], type: 'f16', fill },
    { name: 'single', shape: [3, 1], type: 'f32', fill },
  ]);
  const [half, single] = parseGguf(bytes).tensors;
  t.match(half, { name: 'half', shape: [3], type: 1 });
  t.match(single, { name: 'single', shape: [3, 1], type: 0 });
  t.equal(half!.start % 32, 0);
  t.equal(single!.start, half!.start + 32);
  t.equal(bytes.length, single!.start + 32);
  t.strictSame(
    numbers.map((_, i) => fromHalf(bytes.readUInt16LE(half!.start + 2 * i))),
    numbers,
  );
  t.strictSame(
    numbers.map((_, i) => bytes.readFloatLE(single!.start + 4 * i)),
    numbers,
  );
});

test('numbers that do not fit the shape are refused', async (t) => {
  const fill = () => new Float32Array(5);
  t.throws(() => file({}, [{ name: 'x', shape: [2, 3], type: 'f32', fill }]), /x: 5 values/);
});
