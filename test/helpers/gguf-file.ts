/** Where things stand in the bytes of a GGUF file, for tests that damage it. */

/** The bytes of a file with another 32-bit value of one metadata key. */
export function withValue(file: Buffer, key: string, value: number): Buffer {
  const name = Buffer.from(key);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(name.length));
  const at = file.indexOf(Buffer.concat([length, name]));
  if (at < 0) throw new Error(`the file has no key ${key}`);
  const changed = Buffer.from(file);
  // Behind the key and the type of its value.
  changed.writeUInt32LE(value, at + length.length + name.length + 4);
  return changed;
}

/** The bytes of a file whose last tensors are not numbers. */
export function withoutNumbers(file: Buffer): Buffer {
  const changed = Buffer.from(file);
  changed.fill(0xff, Math.floor(file.length * 0.9));
  return changed;
}
