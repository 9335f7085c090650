import type { OperatorResponses } from '../../api/index.js';
import { PAGE_ROWS } from '../ui/pages.js';

/** Where the page of a list is, as in a query: at most one of the fields; none: at the beginning. */
export type PageAt = Readonly<Partial<Record<'after' | 'before' | 'offset', string>>>;

export const FIRST_PAGE: PageAt = {};

/** Where a page that was read is in its list. */
export type PagePart = Pick<OperatorResponses['listKeys'], 'total' | 'offset' | 'next' | 'previous'>;

/**
 * The page that is shown in place of one that was read at `at` and has so many rows; null: that one. A page before others
 * that reaches the beginning is the first one, which also gets the rows that are added there. If nothing is left behind a
 * place, the last page is shown.
 */
export function pageInstead(at: PageAt, { total, offset }: PagePart, rows: number): PageAt | null {
  if (at.before !== undefined && offset === 0) return FIRST_PAGE;
  if (rows > 0 || total === 0) return null;
  return { offset: String(Math.floor((total - 1) / PAGE_ROWS) * PAGE_ROWS) };
}
