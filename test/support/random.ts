/** A seeded source of random numbers, so that a failure can be played again. */
export interface Random {
  /** 0 ≤ x < 1. */
  number(): number;
  /** 0 ≤ x < below. */
  integer(below: number): number;
  pick<T>(values: readonly T[]): T;
}

/** The mulberry32 generator. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number) => Math.floor(number() * below);
  return { number, integer, pick: (values) => values[integer(values.length)] as (typeof values)[number] };
}

/** `TEST_SEED` where it is set, another seed at every run where it is not. */
export function seedFromEnvironment(): number {
  return process.env.TEST_SEED === undefined
    ? Math.floor(Math.random() * 2 ** 31)
    : Number(process.env.TEST_SEED);
}
