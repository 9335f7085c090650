/** Rows of a page. */
export const PAGE_ROWS = 100;
