import { useState } from 'preact/hooks';
import { DataTable, type DataTableProps } from './data-table.js';
import { PageControls } from './page-controls.js';
import { PAGE_ROWS } from './pages.js';

interface PagedTableProps<Row> extends DataTableProps<Row> {
  /** What is counted, such as `row`; several are called so with an s. */
  readonly what: string;
}

/** A table of rows that are all known, of which a page is drawn. */
export function PagedTable<Row>({ what, rows, keyOf, ...table }: PagedTableProps<Row>) {
  // Null: the first page. A page is known by its first row: there may be others before it when the rows are read again.
  const [first, setFirst] = useState<string | number | null>(null);
  const total = rows.length;
  const found = first === null ? 0 : rows.findIndex((row) => keyOf(row) === first);
  const offset = found === -1 ? 0 : found;
  const shown = rows.slice(offset, offset + PAGE_ROWS);
  const show = (at: number) => {
    const row = rows[at];
    setFirst(at <= 0 || row === undefined ? null : keyOf(row));
  };
  return (
    <>
      <DataTable {...table} keyOf={keyOf} rows={shown} />
      {total > PAGE_ROWS && (
        <PageControls
          offset={offset}
          rows={shown.length}
          total={total}
          what={what}
          onPrevious={offset === 0 ? null : () => show(offset - PAGE_ROWS)}
          onNext={offset + shown.length >= total ? null : () => show(offset + PAGE_ROWS)}
        />
      )}
    </>
  );
}
