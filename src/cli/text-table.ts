import { visible } from '../base/index.js';

/** The width of a terminal that reports none. */
const COLUMNS = 80;

/** Characters in a line of the terminal that standard output is; any number if it is a file or a pipe. */
const lineWidth = (): number =>
  process.stdout.isTTY ? (process.stdout.columns ?? COLUMNS) : Number.POSITIVE_INFINITY;

/**
 * A text table with aligned columns, whatever the cells contain; columns named in `right` are right-aligned. Where it is
 * wider than `width` characters, it is written as a block of lines per row instead, as by `facts`.
 */
export function table(
  head: readonly string[],
  values: ReadonlyArray<readonly string[]>,
  right: readonly string[] = [],
  width = lineWidth(),
): string {
  const rows = values.map((row) => row.map(visible));
  // Not `Math.max(...cells)`: a year of usage has more rows than a call accepts arguments.
  const widths = head.map((title, column) =>
    rows.reduce((width, row) => Math.max(width, (row[column] ?? '').length), title.length),
  );
  const columns = widths.reduce((sum, each) => sum + each, 2 * (head.length - 1));
  if (columns > width && values.length > 0) return values.map((row) => block(head, row)).join('\n\n');
  const line = (row: readonly string[]) =>
    head
      .map((title, column) => {
        const cell = row[column] ?? '';
        const size = widths[column] as number;
        return right.includes(title) ? cell.padStart(size) : cell.padEnd(size);
      })
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}

/** A row of a table as a line per column. */
const block = (head: readonly string[], row: readonly string[]): string =>
  factLines(head.map((title, column) => [title, row[column] ?? '']));

/** A line per fact: its name and its value, aligned. */
export const facts = (values: Readonly<Record<string, string>>): string => factLines(Object.entries(values));

/** Of pairs, because an object has one value per name, and its names that are numbers first. */
function factLines(pairs: ReadonlyArray<readonly [name: string, value: string]>): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${visible(value)}`).join('\n');
}

/** CSV (RFC 4180): a header and records, each ending with CRLF. */
export function csv(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
