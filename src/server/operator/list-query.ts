import { type ListPlace, readCursor } from '../../access/index.js';
import { exceedsCodePoints } from '../../base/index.js';
import { readWhole, wrong } from './operator-fields.js';

/** Items of a page, and items before it. */
const PAGE_MAX = 1_000;
const OFFSET_MAX = 10_000_000;
/** Characters of a search. */
const SEARCH_CHARACTERS_MAX = 100;

/** The parameters of a page of a list. */
export const PAGE_PARAMETERS = ['search', 'sort', 'limit', 'after', 'before', 'offset'] as const;

type PageQuery = Partial<Record<(typeof PAGE_PARAMETERS)[number], string>>;

/** The part of a list that a query asks for. */
interface ReadPage<Field> {
  /** In lower case. */
  readonly search?: string;
  readonly sort: Field;
  readonly descending: boolean;
  /** At most one of both. */
  readonly after?: ListPlace;
  readonly before?: ListPlace;
  /** 0 with a place. */
  readonly offset: number;
  /** Infinity: all. */
  readonly limit: number;
}

/**
 * The page that a query asks for. `fields`: those by which the list can be sorted; `usual`: the one by which it is if none is
 * named. Throws Refusal.
 */
export function readPage<Field extends Parameters<typeof readCursor>[0]>(
  query: PageQuery,
  fields: readonly Field[],
  usual: Field,
): ReadPage<Field> {
  const { search, sort = usual, limit, offset } = query;
  if (search !== undefined && exceedsCodePoints(search, SEARCH_CHARACTERS_MAX)) {
    throw wrong('search', `must have at most ${SEARCH_CHARACTERS_MAX} characters`);
  }
  const field = fields.find((each) => each === sort.replace(/^-/, ''));
  if (field === undefined) {
    throw wrong('sort', `must be ${fields.join(', ')}, or one of them with - before it`);
  }
  return {
    ...(search !== undefined && search !== '' && { search: search.toLowerCase() }),
    sort: field,
    descending: sort.startsWith('-'),
    ...readPlace(query, field),
    offset: readWhole('offset', offset, 0, OFFSET_MAX, 0),
    limit: readWhole('limit', limit, 1, PAGE_MAX, Number.POSITIVE_INFINITY),
  };
}

/** Where a page begins or ends, if the query says so by a cursor. Throws Refusal. */
function readPlace(
  query: PageQuery,
  field: Parameters<typeof readCursor>[0],
): Pick<ReadPage<never>, 'after' | 'before'> {
  const [name, other] = (['after', 'before', 'offset'] as const).filter((each) => query[each] !== undefined);
  if (other !== undefined) throw wrong(other, `cannot be combined with ${name}`);
  if (name === undefined || name === 'offset') return {};
  const place = readCursor(field, query[name] as string);
  if (place !== undefined) return { [name]: place };
  const source = name === 'after' ? 'next' : 'previous';
  throw wrong(name, `must be the ${source} of a page with the same sort`);
}
