/** A cell that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A table as CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvOf(rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A file of CSV. It begins with a byte order mark, by which spreadsheets recognize UTF-8. */
export const csvFile = (rows: ReadonlyArray<ReadonlyArray<string | number>>): Blob =>
  new Blob([`\ufeff${csvOf(rows)}`], { type: 'text/csv' });
