import { LIMITS } from '../../api/index.js';
import { indented, type JsonNode, NULL, object, text } from '../json/json-node.js';
import type { Records } from './read-records.js';

/** How records become the lines of a batch file. */
export interface Mapping {
  /** The column of `custom_id`; null: lines have the numbers of their rows in the file. */
  readonly id: string | null;
  /** The columns of the state: one is its text, several are a JSON object. */
  readonly state: readonly string[];
  readonly model: string;
  readonly questions: JsonNode;
}

const NOT_IN_IDS = /[^A-Za-z0-9_.:-]/g;

/** What the lines are made of. */
type MadeFrom = Pick<Records, 'columns' | 'rows' | 'numbers'>;

/** The lines of a batch file, one per record. Throws Error if the mapping names no column of the records. */
export function makeLines({ columns, rows, numbers }: MadeFrom, mapping: Mapping): string[] {
  const placeOf = (name: string): number => {
    const place = columns.indexOf(name);
    if (place < 0) throw new Error(`The file has no column "${name}".`);
    return place;
  };
  if (mapping.state.length === 0) throw new Error('Choose the columns of the state.');
  const [id, state] = [mapping.id === null ? null : placeOf(mapping.id), mapping.state.map(placeOf)];
  const rest = [
    ['model', text(mapping.model)],
    ['questions', mapping.questions],
  ] as const;
  return rows.map((row, at) => {
    const named = id === null ? '' : idOf(row[id]).replace(NOT_IN_IDS, '_');
    const line = object([
      ['custom_id', text(named.slice(0, LIMITS.customIdCharacters) || `line-${numbers[at]}`)],
      ['state', stateOf(row, state, columns)],
      ...rest,
    ]);
    return indented(line).replace(/\n */g, ' ');
  });
}

/** The text of a value; that of a number as it is written, none of `null`. */
function idOf(value: JsonNode | undefined): string {
  if (value === undefined || indented(value) === 'null') return '';
  return value.kind === 'text' ? value.value : indented(value);
}

/** The values as they are written in the file. Those that a record does not have are left out of an object. */
function stateOf(
  row: MadeFrom['rows'][number],
  places: readonly number[],
  columns: readonly string[],
): JsonNode {
  const [only] = places;
  if (places.length === 1 && only !== undefined) return row[only] ?? NULL;
  return object(
    places.flatMap((place) => {
      const value = row[place];
      return value === undefined ? [] : [[columns[place] as string, value] as const];
    }),
  );
}
