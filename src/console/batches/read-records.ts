import { type JsonNode, text as textNode } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { readText } from '../ui/read-text.js';
import { rowsOfCsv } from './rows-of-csv.js';

/** A table of records: CSV with a title row, or JSON Lines with an object per line. */
export interface Records {
  /** All different. */
  readonly columns: readonly string[];
  /** A value per column, as it is written in the file; undefined if a record of JSON Lines has none. */
  readonly rows: ReadonlyArray<ReadonlyArray<JsonNode | undefined>>;
  /** The place of each row in the file: 1 for the one after the title row, or for the first line of JSON Lines. */
  readonly numbers: readonly number[];
  /** Empty rows, which are left out, but counted in the numbers. */
  readonly empty: number;
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
  const text = await readText(file);
  const records = /^\s*\{/.test(text) ? await readJsonLines(text, signal) : await readCsv(text, signal);
  if (records.rows.length === 0) throw new Error('The file has no records.');
  return records;
}

async function readJsonLines(text: string, signal: AbortSignal): Promise<Records> {
  const columns = new Map<string, number>();
  const rows: JsonNode[][] = [];
  const numbers: number[] = [];
  const turns = new Turns();
  const lines = text.replace(/\n$/, '').split('\n');
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const row: JsonNode[] = [];
    const entries = recordOf(line, at + 1);
    refuseTwice(
      entries.map(([name]) => name),
      `Line ${at + 1} has two values`,
    );
    for (const [name, value] of entries) {
      const place = columns.get(name) ?? columns.size;
      columns.set(name, place);
      row[place] = value;
    }
    rows.push(row);
    numbers.push(at + 1);
    if (at % ROWS_PER_LOOK === 0) await turns.look(signal);
  }
  return { columns: [...columns.keys()], rows, numbers, empty: lines.length - rows.length };
}

function recordOf(line: string, number: number): ReadonlyArray<readonly [string, JsonNode]> {
  let record: JsonNode;
  try {
    record = readJson(line);
  } catch (error) {
    throw new Error(`Line ${number} is not valid JSON: ${(error as Error).message}`);
  }
  if (record.kind !== 'object') throw new Error(`Line ${number} is not a JSON object.`);
  return record.entries;
}

/** Throws Error if two columns have the same name: one of them would be lost. `what`: there are two of. */
function refuseTwice(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new Error(`${what} called ${JSON.stringify(name)}.`);
    seen.add(name);
  }
}

/** Reads CSV with a title row; fields may be separated by semicolons or tabs too. */
async function readCsv(source: string, signal: AbortSignal): Promise<Records> {
  let [titles, read]: [{ columns: string[]; at: number } | null, number] = [null, 0];
  const [rows, numbers]: [JsonNode[][], number[]] = [[], []];
  const turns = new Turns();
  for (const row of rowsOfCsv(source, separatorOf(source))) {
    read += 1;
    if (read % ROWS_PER_LOOK === 0) await turns.look(signal);
    if (row.every((cell) => cell === '')) continue;
    if (titles === null) {
      refuseTwice(row, 'The title row has two columns');
      titles = { columns: row, at: read };
      continue;
    }
    const { columns, at } = titles;
    if (row.length !== columns.length)
      throw new Error(`Row ${read} has ${row.length} fields instead of ${columns.length}.`);
    rows.push(row.map(textNode));
    numbers.push(read - at);
  }
  const all = titles === null ? 0 : read - titles.at;
  return { columns: titles?.columns ?? [], rows, numbers, empty: all - rows.length };
}

/** The separator that the title row has most of. */
function separatorOf(source: string): string {
  const [titles = ''] = source.split('\n', 1);
  const countOf = (each: string) => titles.split(each).length;
  return [',', ';', '\t'].reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
}
