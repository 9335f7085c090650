import type { KEY_SORTS, WORKSPACE_SORTS } from '../api/index.js';
import { isCount, isNullOr, isString, matches, type Shape } from '../base/index.js';
import type { ListPlace } from './list-pages.js';
import { isPlainLine } from './names.js';

type Sort = (typeof WORKSPACE_SORTS)[number] | (typeof KEY_SORTS)[number];

/** Characters of a cursor: base64url. The longest name and id take about half of them. */
const CURSOR = /^[\w-]{1,1000}$/;

/** What is stored in both storages as text. */
const isText: Shape<string> = (value): value is string => isString(value) && isPlainLine(value);
const isWhole: Shape<number> = (value): value is number => isCount(value) && Number.isSafeInteger(value);
const isAmount = matches(/^-?\d{1,38}$/);

/** The values of a place, by what the list is sorted by. */
const VALUES: Readonly<Record<Sort, ReadonlyArray<Shape<ListPlace['values'][number]>>>> = {
  id: [],
  name: [isNullOr(isText)],
  created: [isWhole],
  granted: [isAmount],
  working_keys: [isWhole],
  workspace: [isText, isWhole],
  expires: [isNullOr(isWhole)],
};

/** A place in a list with this order as a text that callers pass on without reading it. */
export const showCursor = (sort: Sort, { values, id }: ListPlace): string =>
  Buffer.from(JSON.stringify([sort, ...values, id])).toString('base64url');

/** The place of a cursor; undefined if the text is not a cursor of a list with this order. */
export function readCursor(sort: Sort, text: string): ListPlace | undefined {
  if (!CURSOR.test(text)) return;
  const parts = parse(text);
  if (!Array.isArray(parts)) return;
  const [order, ...place]: unknown[] = parts;
  const [values, id] = [place.slice(0, -1), place.at(-1)];
  const shapes = VALUES[sort];
  if (order !== sort || values.length !== shapes.length || !isText(id)) return;
  return shapes.every((shape, at) => shape(values[at])) ? { values: values as string[], id } : undefined;
}

/** Undefined if the bytes are not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
