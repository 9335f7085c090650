/** `SCALE=long` runs every test at full scale, as `npm run test:long` does; `npm test` runs the same files small. */
export const LONG = process.env.SCALE === 'long';

export interface Scale {
  readonly short: number;
  readonly long: number;
}

/**
 * How many cases a test runs, or how large its input is. `name`: an environment variable that overrides both, for runs
 * longer than `test:long`; test/README.md lists them.
 */
export function scaled({ short, long }: Scale, name?: string): number {
  const own = name === undefined ? undefined : process.env[name];
  return own === undefined ? (LONG ? long : short) : Number(own);
}
