import type { ComponentChildren } from 'preact';

/** A column of a table: its title, the content of a cell, and whether that is a number. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly number?: boolean;
  /** For class names of cells, such as `nowrap`. */
  readonly class?: string;
}

export interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The row that is marked as current. */
  readonly current?: (row: Row) => boolean;
}

/**
 * A table that scrolls on its own where the window is too low for it. On a phone its rows are lists of titles and values,
 * by the style sheet.
 */
export function DataTable<Row>({ label, columns, rows, keyOf, current }: DataTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with the keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, number }) => (
              <th key={title} scope="col" class={number ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={current?.(row) ? 'current' : undefined}>
              {columns.map(({ title, cell, number, class: name }) => (
                <td key={title} class={number ? 'number' : name} data-title={title}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
