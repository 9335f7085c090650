import { toHalf } from './half.js';

/** How many bytes the data of each tensor, and the data as a whole, start on a multiple of. */
export const ALIGNMENT = 32;

const VERSION = 3;
const ARRAY = 9;
const TYPES = {
  uint8: 0,
  int8: 1,
  uint16: 2,
  int16: 3,
  uint32: 4,
  int32: 5,
  float32: 6,
  bool: 7,
  string: 8,
  uint64: 10,
  int64: 11,
  float64: 12,
} as const;
/** The number of a type in the file, and the bytes of a block of so many elements. */
const TENSOR_TYPES = {
  f32: { code: 0, elements: 1, bytes: 4 },
  f16: { code: 1, elements: 1, bytes: 2 },
  bf16: { code: 30, elements: 1, bytes: 2 },
  q8_0: { code: 8, elements: 32, bytes: 34 },
  q4_K: { code: 12, elements: 256, bytes: 144 },
  q6_K: { code: 14, elements: 256, bytes: 210 },
} as const;

/** What a metadata value can hold besides an array. */
export type ScalarType = keyof typeof TYPES;

/** A metadata value together with its type in the file; `array` gives the type of the elements. */
export type MetadataValue =
  | { readonly type: ScalarType; readonly value: Scalar }
  | { readonly array: ScalarType; readonly value: readonly Scalar[] };
type Scalar = number | bigint | boolean | string;

/** A tensor without its contents: dimensions in GGUF order, the contiguous one first. */
export interface TensorHead {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: keyof typeof TENSOR_TYPES;
}

/** A tensor with contents, which are made when they are written. */
export interface Tensor extends TensorHead {
  readonly type: 'f32' | 'f16';
  readonly fill: () => Float32Array;
}

/** Yields a GGUF file piece by piece: header, then each tensor's data with its padding. */
export function* ggufPieces(
  metadata: Readonly<Record<string, MetadataValue>>,
  tensors: readonly Tensor[],
): Generator<Buffer> {
  yield ggufHeader(metadata, tensors).header;
  for (const tensor of tensors) {
    const data = tensorBytes(tensor);
    yield data;
    yield padding(data.length);
  }
}

/** The header with its padding, and the bytes of all tensors with theirs. */
export function ggufHeader(
  metadata: Readonly<Record<string, MetadataValue>>,
  tensors: readonly TensorHead[],
): { header: Buffer; dataBytes: number } {
  const keys = Object.entries(metadata);
  const pieces = [Buffer.from('GGUF'), scalar('uint32', VERSION)];
  pieces.push(scalar('uint64', tensors.length), scalar('uint64', keys.length));
  for (const [key, entry] of keys) {
    pieces.push(scalar('string', key));
    // A vocabulary has more pieces than a call can have arguments.
    for (const piece of value(entry)) pieces.push(piece);
  }
  let offset = 0;
  for (const { name, shape, type } of tensors) {
    pieces.push(scalar('string', name), scalar('uint32', shape.length));
    pieces.push(...shape.map((size) => scalar('uint64', size)));
    pieces.push(scalar('uint32', TENSOR_TYPES[type].code), scalar('uint64', offset));
    const size = tensorSize({ shape, type });
    offset += size + padding(size).length;
  }
  const header = Buffer.concat(pieces);
  return { header: Buffer.concat([header, padding(header.length)]), dataBytes: offset };
}

/** The bytes of a tensor's data, without padding. */
export function tensorSize({ shape, type }: Pick<TensorHead, 'shape' | 'type'>): number {
  const { elements: block, bytes } = TENSOR_TYPES[type];
  return (elements(shape) / block) * bytes;
}

function value(entry: MetadataValue): Buffer[] {
  if ('type' in entry) return [scalar('uint32', TYPES[entry.type]), scalar(entry.type, entry.value)];
  const head = [scalar('uint32', ARRAY), scalar('uint32', TYPES[entry.array])];
  return [
    ...head,
    scalar('uint64', entry.value.length),
    ...entry.value.map((one) => scalar(entry.array, one)),
  ];
}

function scalar(type: ScalarType, value: Scalar): Buffer {
  if (type === 'string') {
    const text = Buffer.from(String(value));
    return Buffer.concat([scalar('uint64', text.length), text]);
  }
  const bytes = Buffer.alloc(8);
  switch (type) {
    case 'bool':
    case 'uint8':
      return bytes.subarray(0, bytes.writeUInt8(Number(value)));
    case 'int8':
      return bytes.subarray(0, bytes.writeInt8(Number(value)));
    case 'uint16':
      return bytes.subarray(0, bytes.writeUInt16LE(Number(value)));
    case 'int16':
      return bytes.subarray(0, bytes.writeInt16LE(Number(value)));
    case 'uint32':
      return bytes.subarray(0, bytes.writeUInt32LE(Number(value)));
    case 'int32':
      return bytes.subarray(0, bytes.writeInt32LE(Number(value)));
    case 'float32':
      return bytes.subarray(0, bytes.writeFloatLE(Number(value)));
    case 'float64':
      return bytes.subarray(0, bytes.writeDoubleLE(Number(value)));
    case 'uint64':
      return bytes.subarray(0, bytes.writeBigUInt64LE(BigInt(value)));
    case 'int64':
      return bytes.subarray(0, bytes.writeBigInt64LE(BigInt(value)));
  }
}

/** The contents of a tensor as they are in the file, without padding. */
export function tensorBytes({ name, shape, type, fill }: Tensor): Buffer {
  const numbers = fill();
  if (numbers.length !== elements(shape))
    throw new Error(`${name}: ${numbers.length} values do not fit its shape`);
  // Node's platforms are little-endian, as the file is.
  if (type === 'f32') return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const halves = new Uint16Array(numbers.length);
  for (const [at, number] of numbers.entries()) halves[at] = toHalf(number);
  return Buffer.from(halves.buffer);
}

function elements(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Zeros up to the next multiple of the alignment. */
export function padding(length: number): Buffer {
  return Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT);
}
