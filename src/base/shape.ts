/**
 * Checks of parsed JSON, as type guards. Fields that are not named are allowed. Written here because a schema library is
 * hundreds of modules, which every command and every thread that opens the data folder would load.
 */
export type Shape<Value> = (value: unknown) => value is Value;

/** The type that a shape accepts. */
export type ValueOf<Checked> = Checked extends Shape<infer Value> ? Value : never;

type Fields = Readonly<Record<string, Shape<unknown>>>;
type ValuesOf<Checked extends Fields> = { [Name in keyof Checked]: ValueOf<Checked[Name]> };

export const isString: Shape<string> = (value) => typeof value === 'string';
export const isNumber: Shape<number> = (value): value is number => Number.isFinite(value);
export const isInteger: Shape<number> = (value): value is number => Number.isInteger(value);
/** A whole number from 0. */
export const isCount: Shape<number> = (value): value is number => isInteger(value) && value >= 0;
export const isBoolean: Shape<boolean> = (value) => typeof value === 'boolean';

/** A string that matches. */
export const matches =
  (pattern: RegExp): Shape<string> =>
  (value): value is string =>
    isString(value) && pattern.test(value);

/** One of some strings. */
export const isOneOf =
  <const Name extends string>(...names: readonly Name[]): Shape<Name> =>
  (value): value is Name =>
    names.some((name) => name === value);

export const isNullOr =
  <Value>(shape: Shape<Value>): Shape<Value | null> =>
  (value): value is Value | null =>
    value === null || shape(value);

/** Absent, or of a shape: a field that earlier versions did not store. */
export const isOptional =
  <Value>(shape: Shape<Value>): Shape<Value | undefined> =>
  (value): value is Value | undefined =>
    value === undefined || shape(value);

export const isArrayOf =
  <Value>(shape: Shape<Value>): Shape<Value[]> =>
  (value): value is Value[] =>
    Array.isArray(value) && value.every(shape);

/** An object with all these fields. */
export const isObjectOf =
  <Checked extends Fields>(fields: Checked): Shape<ValuesOf<Checked>> =>
  (value): value is ValuesOf<Checked> =>
    isRecord(value) && Object.entries(fields).every(([name, shape]) => shape(value[name]));

/** An object with any of these fields. */
export const isPartOf =
  <Checked extends Fields>(fields: Checked): Shape<Partial<ValuesOf<Checked>>> =>
  (value): value is Partial<ValuesOf<Checked>> =>
    isRecord(value) &&
    Object.entries(fields).every(([name, shape]) => value[name] === undefined || shape(value[name]));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
