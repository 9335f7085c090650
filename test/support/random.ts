export { type Random, random } from '../../src/base/index.js';

/** `TEST_SEED` if it is set, otherwise another seed at every run. */
export function seedFromEnvironment(): number {
  return process.env.TEST_SEED === undefined
    ? Math.floor(Math.random() * 2 ** 31)
    : Number(process.env.TEST_SEED);
}
