import { isArrayOf, isBoolean, isInteger, isNullOr, isString, type Shape } from '../../base/index.js';
import { Refusal } from './refusal.js';

/** What a field of a body may be, and its name in a message. */
interface FieldKind<Value> {
  readonly shape: Shape<Value>;
  readonly expected: string;
}

export const TEXT: FieldKind<string> = { shape: isString, expected: 'a string' };
export const TEXT_OR_NULL: FieldKind<string | null> = {
  shape: isNullOr(isString),
  expected: 'a string or null',
};
export const TEXTS_OR_NULL: FieldKind<string[] | null> = {
  shape: isNullOr(isArrayOf(isString)),
  expected: 'a list of strings or null',
};
export const WHOLE: FieldKind<number> = { shape: isInteger, expected: 'a whole number' };
export const BOOLEAN: FieldKind<boolean> = { shape: isBoolean, expected: 'true or false' };

type Kinds = Readonly<Record<string, FieldKind<unknown>>>;
type ValuesOf<Fields extends Kinds> = {
  readonly [Name in keyof Fields]: Fields[Name] extends FieldKind<infer Value> ? Value : never;
};

/** Characters of a name of the request that a message repeats. */
export const NAME_CHARACTERS_MAX = 64;

/** The fields of a body: all `required` ones, and any `optional` ones. Throws Refusal for any other body. */
export function readFields<Required extends Kinds, Optional extends Kinds>(
  body: unknown,
  required: Required,
  optional: Optional,
): ValuesOf<Required> & Partial<ValuesOf<Optional>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Refusal('invalid_request', 'The body is not a JSON object.');
  }
  const kinds: Kinds = { ...required, ...optional };
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(kinds, name)) throw wrong(name, 'is not a field of this request');
    const { shape, expected } = kinds[name] as FieldKind<unknown>;
    if (!shape(value)) throw wrong(name, `must be ${expected}`);
  }
  const missing = Object.keys(required).find((name) => !Object.hasOwn(body, name));
  if (missing !== undefined) throw wrong(missing, 'is missing');
  return body as ValuesOf<Required> & Partial<ValuesOf<Optional>>;
}

/** The parameters of a query, each at most once. Throws Refusal. */
export function readQuery<Name extends string>(
  query: URLSearchParams,
  ...names: readonly Name[]
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const [name, value] of query) {
    const known = names.find((each) => each === name);
    if (known === undefined) throw wrong(name, 'is not a parameter of this path');
    if (found[known] !== undefined) throw wrong(name, 'is given more than once');
    // PostgreSQL refuses it in every text.
    if (value.includes('\0')) throw wrong(name, 'must not contain a NUL character');
    found[known] = value;
  }
  return found;
}

/** A whole number of a query; `absent` if it is not given. Throws Refusal. */
export function readWhole<Absent>(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
  absent: Absent,
): number | Absent {
  if (text === undefined) return absent;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw wrong(name, `must be a whole number from ${min} to ${max}`);
}

/** The refusal of a field or parameter. */
export function wrong(name: string, problem: string): Refusal {
  const shown = name.slice(0, NAME_CHARACTERS_MAX);
  return new Refusal('invalid_request', `${shown} ${problem}.`, shown);
}
