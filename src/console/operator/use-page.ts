import { useState } from 'preact/hooks';
import { PAGE_ROWS } from '../ui/pages.js';
import { useSettled } from '../ui/use-settled.js';
import { FIRST_PAGE, type PageAt } from './page-at.js';

/** The part of a list that is shown. */
export interface PageState {
  readonly search: string;
  readonly sort: string;
  /** Which page. It is the same object until another one is chosen. */
  readonly at: PageAt;
  readonly onSearch: (text: string) => void;
  readonly onSort: (sort: string) => void;
  readonly onPage: (at: PageAt) => void;
  /** The query of the page; the search follows in pauses of typing. */
  readonly query: Readonly<Record<'search' | 'sort' | 'limit', string>> & PageAt;
}

/** How long typing must pause before a search begins, in milliseconds. */
const PAUSE_MS = 200;

export function usePage(firstSort: string): PageState {
  const [state, setState] = useState({ search: '', sort: firstSort, at: FIRST_PAGE });
  const { search, sort, at } = state;
  const settled = useSettled(search, PAUSE_MS);
  return {
    ...state,
    onSearch: (text) => setState((old) => ({ ...old, search: text, at: FIRST_PAGE })),
    onSort: (next) => setState((old) => ({ ...old, sort: next, at: FIRST_PAGE })),
    onPage: (next) => setState((old) => ({ ...old, at: next })),
    query: { search: settled, sort, limit: String(PAGE_ROWS), ...at },
  };
}
