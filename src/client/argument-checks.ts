/** Throws TypeError unless a value has fields: a list or a `Map` would be taken for an object without any. */
export function requireFields(value: unknown, name: string): asserts value is object {
  if (typeof value === 'object' && value !== null && !(Symbol.iterator in value)) return;
  throw new TypeError(`${name}: must be an object with fields.`);
}

/**
 * Throws TypeError unless a value can be read entry by entry. The characters of a string and the numbers of a typed array are
 * no entries.
 */
export function requireList(value: unknown, name: string): void {
  const isList =
    typeof value === 'object' &&
    value !== null &&
    (Symbol.iterator in value || Symbol.asyncIterator in value) &&
    !ArrayBuffer.isView(value);
  if (!isList) throw new TypeError(`${name}: must be a list, a generator or another iterable object.`);
}
