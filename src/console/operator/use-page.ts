import { useState } from 'preact/hooks';
import { PAGE_ROWS } from '../ui/pages.js';
import { useSettled } from '../ui/use-settled.js';

/** The part of a list that is shown. */
export interface PageState {
  readonly search: string;
  readonly sort: string;
  /** From 0. */
  readonly page: number;
  readonly onSearch: (text: string) => void;
  readonly onSort: (sort: string) => void;
  readonly onPage: (page: number) => void;
  /** The query of the page; the search follows in pauses of typing. */
  readonly query: Readonly<Record<'search' | 'sort' | 'limit' | 'offset', string>>;
}

/** How long typing must pause before a search begins, in milliseconds. */
const PAUSE_MS = 200;

export function usePage(firstSort: string): PageState {
  const [state, setState] = useState({ search: '', sort: firstSort, page: 0 });
  const { search, sort, page } = state;
  const settled = useSettled(search, PAUSE_MS);
  return {
    ...state,
    onSearch: (text) => setState((old) => ({ ...old, search: text, page: 0 })),
    onSort: (next) => setState((old) => ({ ...old, sort: next, page: 0 })),
    onPage: (next) => setState((old) => ({ ...old, page: next })),
    query: { search: settled, sort, limit: String(PAGE_ROWS), offset: String(page * PAGE_ROWS) },
  };
}
