import {
  exceedsCodePoints,
  isArrayOf,
  isBoolean,
  isInteger,
  isNullOr,
  isString,
  type Shape,
} from '../../base/index.js';
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

/** Items of a page, and items before it. */
const PAGE_MAX = 1_000;
const OFFSET_MAX = 10_000_000;
/** Characters of a search. */
const SEARCH_CHARACTERS_MAX = 100;

/** The parameters of a page of a list. */
export const PAGE_PARAMETERS = ['search', 'sort', 'limit', 'offset'] as const;

/** The part of a list that a query asks for. */
interface ReadPage<Field> {
  /** In lower case. */
  readonly search?: string;
  readonly sort?: Field;
  readonly descending: boolean;
  readonly offset: number;
  /** Infinity: all. */
  readonly limit: number;
}

/** The page that a query asks for. `fields`: those by which the list can be sorted. Throws Refusal. */
export function readPage<Field extends string>(
  query: Partial<Record<(typeof PAGE_PARAMETERS)[number], string>>,
  fields: readonly Field[],
): ReadPage<Field> {
  const { search, sort, limit, offset } = query;
  if (search !== undefined && exceedsCodePoints(search, SEARCH_CHARACTERS_MAX)) {
    throw wrong('search', `must have at most ${SEARCH_CHARACTERS_MAX} characters`);
  }
  const field = fields.find((each) => each === sort?.replace(/^-/, ''));
  if (sort !== undefined && field === undefined) {
    throw wrong('sort', `must be ${fields.join(', ')}, or one of them with - before it`);
  }
  return {
    ...(search !== undefined && search !== '' && { search: search.toLowerCase() }),
    ...(field !== undefined && { sort: field }),
    descending: sort?.startsWith('-') === true,
    offset: readWhole('offset', offset, 0, OFFSET_MAX, 0),
    limit: readWhole('limit', limit, 1, PAGE_MAX, Number.POSITIVE_INFINITY),
  };
}

/** The refusal of a field or parameter. */
export function wrong(name: string, problem: string): Refusal {
  const shown = name.slice(0, NAME_CHARACTERS_MAX);
  return new Refusal('invalid_request', `${shown} ${problem}.`, shown);
}
