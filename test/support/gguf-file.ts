/** Where things stand in the bytes of a GGUF file, for tests that damage it. */

/** What a place of the header holds. */
export type FieldKind = 'count' | 'length' | 'type' | 'number' | 'dimension' | 'offset';

export interface Field {
  readonly kind: FieldKind;
  /** The first of its bytes. */
  readonly at: number;
  readonly bytes: number;
  /** The metadata key or the tensor it belongs to. */
  readonly name: string;
}

const STRING = 8;
const ARRAY = 9;
/** Bytes of a scalar, by the number of its type. */
const SCALAR_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];

/** All fields of a header; of an array of strings the first one's length stands for those of all. */
export function fieldsOf(file: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 4;
  const take = (kind: FieldKind, bytes: number, name: string): number => {
    fields.push({ kind, at, bytes, name });
    at += bytes;
    return bytes === 8
      ? Number(file.readBigUInt64LE(at - 8))
      : file.readUIntLE(at - bytes, Math.min(bytes, 6));
  };
  const text = (name: string): string => {
    const length = take('length', 8, name);
    at += length;
    return file.toString('utf8', at - length, at);
  };
  const value = (type: number, name: string): void => {
    if (type === STRING) text(name);
    else take('number', SCALAR_BYTES[type] ?? 0, name);
  };
  const array = (name: string): void => {
    const type = take('type', 4, name);
    const count = take('length', 8, name);
    for (let index = 0; index < count; index++) {
      value(type, name);
      if (index > 0) fields.pop();
    }
  };
  take('type', 4, 'version');
  const tensors = take('count', 8, 'tensors');
  const keys = take('count', 8, 'keys');
  for (let index = 0; index < keys; index++) {
    const key = text('key');
    const type = take('type', 4, key);
    if (type === ARRAY) array(key);
    else value(type, key);
  }
  for (let index = 0; index < tensors; index++) {
    const name = text('tensor');
    const dimensions = take('count', 4, name);
    for (let dimension = 0; dimension < dimensions; dimension++) take('dimension', 8, name);
    take('type', 4, name);
    take('offset', 8, name);
  }
  return fields;
}

/** The bytes of a file with another value in one field: its lowest bytes. */
export function withField(file: Buffer, { at, bytes }: Field, value: bigint): Buffer {
  const changed = Buffer.from(file);
  const written = Buffer.alloc(8);
  written.writeBigUInt64LE(BigInt.asUintN(64, value));
  written.copy(changed, at, 0, bytes);
  return changed;
}

/** The bytes of a file with another value of one metadata key. */
export function withValue(file: Buffer, key: string, value: number): Buffer {
  const field = fieldsOf(file).find(({ kind, name }) => kind === 'number' && name === key);
  if (field === undefined) throw new Error(`the file has no key ${key}`);
  return withField(file, field, BigInt(value));
}

/** The bytes of a file whose last tensors are not numbers. */
export function withoutNumbers(file: Buffer): Buffer {
  const changed = Buffer.from(file);
  changed.fill(0xff, Math.floor(file.length * 0.9));
  return changed;
}
