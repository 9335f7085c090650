/**
 * A stream of uniform numbers in [-1, 1), the same on every platform: 32-bit integer
 * arithmetic and one exact multiplication. The name gives each tensor a stream of its own,
 * so adding a tensor to a model leaves all the others as they were.
 */
export function uniform(seed: number, name: string): () => number {
  let state = 0x811c9dc5 ^ seed;
  for (let i = 0; i < name.length; i++) state = Math.imul(state ^ name.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >> 8) * 2 ** -23;
  };
}
