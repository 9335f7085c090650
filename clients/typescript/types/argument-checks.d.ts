/** Throws TypeError unless a value has fields: a list or a `Map` would be taken for an object without any. */
export declare function requireFields(value: unknown, name: string): asserts value is object;
/**
 * Throws TypeError unless a value can be read entry by entry. The characters of a string and the numbers of a typed array are
 * no entries.
 */
export declare function requireList(value: unknown, name: string): void;
