import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Options of every benchmark. */
const COMMON = { json: { type: 'string' }, minutes: { type: 'string' } } as const;

type Options = NonNullable<ParseArgsConfig['options']>;

/** The options on the command line: those of a benchmark, `--json` and `--minutes`. A wrong one ends the process. */
export function benchOptions<const Own extends Options>(own: Own) {
  const options = { ...COMMON, ...own };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    const names = Object.keys(options).map((name) => `--${name}`);
    console.error(
      `${(error as Error).message}\nThe options are ${names.join(', ')}; the source describes them.`,
    );
    process.exit(2);
  }
}
