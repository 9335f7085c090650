/** Rows of a page. */
export const PAGE_ROWS = 100;

/** The last page of so many rows, from 0. */
export const lastPage = (total: number): number => Math.max(0, Math.ceil(total / PAGE_ROWS) - 1);
