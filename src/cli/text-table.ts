import { visible } from '../base/index.js';

/** A text table with aligned columns, whatever the cells contain; columns named in `right` are right-aligned. */
export function table(
  head: readonly string[],
  values: ReadonlyArray<readonly string[]>,
  right: readonly string[] = [],
): string {
  const rows = values.map((row) => row.map(visible));
  // Not `Math.max(...cells)`: a year of usage has more rows than a call accepts arguments.
  const widths = head.map((title, column) =>
    rows.reduce((width, row) => Math.max(width, (row[column] ?? '').length), title.length),
  );
  const line = (row: readonly string[]) =>
    head
      .map((title, column) => {
        const cell = row[column] ?? '';
        const width = widths[column] as number;
        return right.includes(title) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

/** A line per fact: its name and its value, aligned. */
export function facts(values: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${visible(value)}`)
    .join('\n');
}

/** CSV (RFC 4180): a header and records, each ending with CRLF. */
export function csv(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
