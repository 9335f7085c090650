import pg from 'pg';

const { builtins } = pg.types;
/** Object identifiers of array types, which pg does not name. */
const INT8_ARRAY = 1016;
const TEXT_ARRAY = 1009;
const NUMERIC_ARRAY = 1231;

const texts = pg.types.getTypeParser(TEXT_ARRAY as typeof builtins.TEXT) as unknown as (
  text: string,
) => (string | null)[];

/** A bigint of the database is beyond 2^53, where numbers are not exact. */
export class InexactBigint extends Error {}

/** A bigint as a number. Throws InexactBigint. */
function int8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new InexactBigint('A bigint of the database is beyond 2^53.');
  return value;
}

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, int8],
  [INT8_ARRAY, (text) => texts(text).map((entry) => (entry === null ? null : int8(entry)))],
  // pg reads arrays of numeric as floating point.
  [NUMERIC_ARRAY, texts],
]);

/**
 * How values of the database are read: bigint as a number if it is exact, else InexactBigint; numeric as text; bytea as
 * Buffer; jsonb parsed.
 */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
