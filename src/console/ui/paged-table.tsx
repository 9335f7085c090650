import { useState } from 'preact/hooks';
import { DataTable, type DataTableProps } from './data-table.js';
import { PageControls } from './page-controls.js';
import { lastPage, PAGE_ROWS } from './pages.js';

interface PagedTableProps<Row> extends DataTableProps<Row> {
  /** What is counted, such as `row`; several are called so with an s. */
  readonly what: string;
}

/** A table of rows that are all known, of which a page is drawn. */
export function PagedTable<Row>({ what, rows, ...table }: PagedTableProps<Row>) {
  const [chosen, setPage] = useState(0);
  // There may be fewer rows than when the page was chosen.
  const page = Math.min(chosen, lastPage(rows.length));
  return (
    <>
      <DataTable {...table} rows={rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS)} />
      {rows.length > PAGE_ROWS && (
        <PageControls page={page} total={rows.length} what={what} onPage={setPage} />
      )}
    </>
  );
}
