/**
 * The rows of CSV (RFC 4180), which may have another separator, as spreadsheets write it. Fields are scanned: a regular
 * expression for a quoted one fails on millions of characters. Throws Error if it is no CSV.
 *
 * @param separator a character that stands for itself in a class of a regular expression
 */
export function* rowsOfCsv(source: string, separator: string): Generator<string[]> {
  let [row, rows, at]: [string[], number, number] = [[], 0, 0];
  const lineEnd = /\r?\n/y;
  const plainEnd = new RegExp(`[${separator}\r\n"]|$`, 'g');
  while (at < source.length) {
    const isQuoted = source[at] === '"';
    plainEnd.lastIndex = at;
    const end = isQuoted ? closingQuote(source, at) : (plainEnd.exec(source)?.index ?? source.length);
    row.push(isQuoted ? source.slice(at + 1, end).replaceAll('""', '"') : source.slice(at, end));
    at = isQuoted ? end + 1 : end;
    const isSeparated = source[at] === separator;
    if (isSeparated) at += 1;
    if (isSeparated && at < source.length) continue;
    // A separator at the end of the file is followed by an empty field.
    if (isSeparated) row.push('');
    else if (at !== source.length) {
      lineEnd.lastIndex = at;
      if (!lineEnd.test(source)) throw new Error(`Row ${rows + 1} is not valid CSV.`);
      at = lineEnd.lastIndex;
    }
    rows += 1;
    yield row;
    row = [];
  }
}

/** The index of the quote that ends a field; that behind the source if there is none. */
function closingQuote(source: string, opening: number): number {
  let at = source.indexOf('"', opening + 1);
  while (at >= 0 && source[at + 1] === '"') at = source.indexOf('"', at + 2);
  return at < 0 ? source.length : at;
}
