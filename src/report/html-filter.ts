import { type Html, html } from './html.js';
import { type Cell, type Column, table } from './html-table.js';

/** Something that the rows of a table can be filtered by. */
export interface Filter {
  readonly title: string;
  /** What can be chosen, besides all rows. At most `FILTER_VALUES_MAX`. */
  readonly values: readonly string[];
  /** Per row, the places of the values with which it is shown. */
  readonly rows: ReadonlyArray<readonly number[]>;
}

/** Filters of a table, and the values of each. The style sheet has a rule for each value. */
const FILTERS_MAX = 3;
export const FILTER_VALUES_MAX = 50;

const filterClass = (filter: number, value: number): string => `f${filter}v${value}`;

/** A table below the controls of its filters. Its section needs `FILTER_STYLE`. */
export function filteredTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  filters: readonly Filter[],
): Html {
  if (filters.length > FILTERS_MAX || filters.some(({ values }) => values.length > FILTER_VALUES_MAX))
    throw new Error('a table has too many filters');
  const classes = rows.map((_, row) =>
    filters
      .flatMap((each, filter) => (each.rows[row] ?? []).map((value) => filterClass(filter, value)))
      .join(' '),
  );
  return html`<div class="filtered"><p class="filters">${filters.map(control)}</p>
${table(caption, columns, rows, classes)}
<p class="shown"> of ${rows.length} rows are shown.</p></div>`;
}

function control({ title, values }: Filter, filter: number): Html {
  const options = values.map((value, place) => html`<option value="${place}">${value}</option>`);
  return html`<label>${title} <select class="f${filter}" autocomplete="off"><option value="">all</option>${options}</select></label> `;
}

/**
 * The rules of the filters. A page has no scripts: a row is hidden by a selector that looks at the chosen option, and a
 * counter counts the rows that are shown.
 */
export const FILTER_STYLE = `
.filters label { display: inline-block; margin-right: 1.25rem; color: var(--muted); font-size: .875rem; }
.filters select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--rule); max-width: 16rem; }
.filtered { counter-reset: shown; }
.filtered tbody tr { counter-increment: shown; }
.shown { color: var(--muted); font-size: .875rem; }
.shown::before { content: counter(shown); }
@media print { .filters { display: none; } }
${Array.from({ length: FILTERS_MAX }, (_, filter) => Array.from({ length: FILTER_VALUES_MAX }, (_, value) => hiding(filter, value)).join('\n')).join('\n')}
`;

function hiding(filter: number, value: number): string {
  return `.filtered:has(.f${filter} [value="${value}"]:checked) tbody tr:not(.${filterClass(filter, value)}) { display: none; }`;
}
