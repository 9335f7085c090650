import { isObject } from './check-question.js';

/** A table of records: CSV with a title row, or JSON Lines with an object per line. */
export interface Records {
  readonly columns: readonly string[];
  /** A value per column; undefined if a record of JSON Lines has none. */
  readonly rows: ReadonlyArray<readonly unknown[]>;
}

/** How long is read before the page gets a turn. */
const TURN_MS = 12;
/** Rows between two looks at the time. */
const ROWS_PER_LOOK = 200;

/** Gives the page a turn if the last one was long ago. */
class Turns {
  private began = performance.now();

  async look(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.began < TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    this.began = performance.now();
  }
}

/** Reads a file of records, in turns with the page. Rejects with Error if it is none, or with the signal's reason. */
export async function readRecords(file: Blob, signal: AbortSignal): Promise<Records> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  const records = /^\s*\{/.test(text) ? await readJsonLines(text, signal) : await readCsv(text, signal);
  if (records.rows.length === 0) throw new Error('The file has no records.');
  return records;
}

async function readJsonLines(text: string, signal: AbortSignal): Promise<Records> {
  const columns = new Map<string, number>();
  const rows: unknown[][] = [];
  const turns = new Turns();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const row: unknown[] = [];
    for (const [name, value] of Object.entries(recordOf(line, at + 1))) {
      const place = columns.get(name) ?? columns.size;
      columns.set(name, place);
      row[place] = value;
    }
    rows.push(row);
    if (at % ROWS_PER_LOOK === 0) await turns.look(signal);
  }
  return { columns: [...columns.keys()], rows };
}

function recordOf(line: string, number: number): object {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (error) {
    throw new Error(`Line ${number} is not valid JSON: ${(error as Error).message}`);
  }
  if (!isObject(record)) throw new Error(`Line ${number} is not a JSON object.`);
  return record;
}

/** A field of CSV and what ends it: quoted, or up to a separator. */
const FIELD = /"((?:[^"]|"")*)"([,;\t]|\r?\n|$)|([^,;\t\r\n"]*)([,;\t]|\r?\n|$)/y;

/** Reads CSV (RFC 4180) with a title row; fields may be separated by semicolons or tabs too, as spreadsheets write them. */
async function readCsv(text: string, signal: AbortSignal): Promise<Records> {
  const source = text.replace(/^\ufeff/, '');
  const separator = separatorOf(source);
  const field = new RegExp(FIELD.source.replaceAll(',;\\t', separator), 'y');
  const rows: string[][] = [];
  const turns = new Turns();
  let row: string[] = [];
  for (let at = 0; at < source.length; at = field.lastIndex) {
    field.lastIndex = at;
    const [all, quoted, endOfQuoted, plain, endOfPlain] = field.exec(source) ?? [];
    if (all === undefined) throw new Error(`Row ${rows.length + 1} is not valid CSV.`);
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    const end = endOfQuoted ?? endOfPlain ?? '';
    // A separator at the end of the file is followed by an empty field.
    if (end === separator && field.lastIndex === source.length) row.push('');
    if (end !== separator || field.lastIndex === source.length) {
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
      if (rows.length % ROWS_PER_LOOK === 0) await turns.look(signal);
    }
  }
  const [columns = [], ...records] = rows;
  const wrong = records.findIndex((each) => each.length !== columns.length);
  if (wrong >= 0) {
    const has = `${records[wrong]?.length} fields instead of ${columns.length}`;
    throw new Error(`Row ${wrong + 2} has ${has}.`);
  }
  return { columns, rows: records };
}

/** The separator that the title row has most of. */
function separatorOf(source: string): string {
  const [titles = ''] = source.split('\n', 1);
  const countOf = (each: string) => titles.split(each).length;
  return [',', ';', '\t'].reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
}
