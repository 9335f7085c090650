import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random letters and digits, 5.95 bits each, from the system's cryptographic generator. */
export function randomLetters(length: number): string {
  let text = '';
  for (let at = 0; at < length; at += 1) text += LETTERS[randomInt(LETTERS.length)];
  return text;
}

/** A seeded source of random numbers, so that a run can be repeated. */
export interface Random {
  /** 0 ≤ x < 1. */
  number(): number;
  /** 0 ≤ x < below. */
  integer(below: number): number;
  pick<T>(values: readonly T[]): T;
}

/** The mulberry32 generator: 32 bits of state, the same numbers on every platform. Not for secrets. */
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
