import { useRef, useState } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import { readDraft } from '../ask/kept-draft.js';
import { buildRequest } from '../ask/request.js';
import { field } from '../json/json-node.js';
import { DropZone } from '../ui/drop-zone.js';
import { count } from '../ui/format-values.js';
import { type Mapping, makeLines } from './make-lines.js';
import { type Records, readRecords } from './read-records.js';

interface MakePanelProps {
  readonly limits: Limits;
  /** Called when a table was chosen. */
  readonly onTable: () => void;
  /** Called with the batch file. */
  readonly onFile: (file: File) => void;
}

/** Lines that are shown before the file is made. */
const PREVIEW_LINES = 2;

/** Makes a batch file from records and the questions of Ask. */
export function MakePanel({ limits, onTable, onFile }: MakePanelProps) {
  const [records, setRecords] = useState<(Records & { readonly name: string }) | null>(null);
  const [chosen, setChoice] = useState<Choice>({ id: null, state: [], model: '' });
  // The limits may have been read anew since.
  const isListed = limits.models.some(({ id }) => id === chosen.model);
  const choice = isListed ? chosen : { ...chosen, model: limits.models[0]?.id ?? '' };
  const [problem, setProblem] = useState('');
  const reading = useRef<AbortController | null>(null);
  const choose = async ([file]: File[]) => {
    if (file === undefined) return;
    reading.current?.abort();
    const control = new AbortController();
    reading.current = control;
    setProblem('');
    onTable();
    try {
      const read = await readRecords(file, control.signal);
      control.signal.throwIfAborted();
      setRecords({ ...read, name: file.name });
      const id = read.columns.find((each) => /^(custom_)?id$/i.test(each)) ?? null;
      setChoice((old) => ({ ...old, id, state: read.columns.filter((each) => each !== id) }));
    } catch (error) {
      // Another file has been chosen.
      if (control.signal.aborted) return;
      setRecords(null);
      setProblem(`${file.name}: ${(error as Error).message}`);
    }
  };
  const made =
    records === null ? null : tryMake({ ...records, rows: records.rows.slice(0, PREVIEW_LINES) }, choice);
  const use = () => {
    if (records === null) return;
    const all = tryMake(records, choice);
    if (Array.isArray(all)) onFile(new File([all.join('\n')], `${records.name.replace(/\.\w+$/, '')}.jsonl`));
  };
  return (
    <details class="make">
      <summary>Make a batch from a table and the questions of Ask</summary>
      <DropZone label="Choose a table" accept=".csv,.tsv,.txt,.jsonl,.ndjson,.json,text/csv" onFiles={choose}>
        or drop it here: CSV with a title row, or JSON Lines
      </DropZone>
      {problem !== '' && (
        <p class="under warning" role="alert">
          {problem}
        </p>
      )}
      {records !== null && (
        <>
          <p role="status">
            {records.name}: {count(records.rows.length, 'record')}, {count(records.columns.length, 'column')}
            {records.empty > 0 && `; ${count(records.empty, 'empty row is', 'empty rows are')} left out`}
          </p>
          <MappingForm columns={records.columns} choice={choice} onChoice={setChoice} limits={limits} />
          {Array.isArray(made) ? (
            <pre class="code">{made.join('\n')}</pre>
          ) : (
            <p class="under warning">{made?.message}</p>
          )}
          <button type="button" class="primary" disabled={!Array.isArray(made)} onClick={use}>
            Use {count(records.rows.length, 'line')}
          </button>
        </>
      )}
    </details>
  );
}

type Choice = Omit<Mapping, 'questions'>;

/** The lines of records with the questions of Ask, or why there are none. */
function tryMake(records: Records, choice: Choice): string[] | Error {
  if (choice.model === '') return new Error('The key may use no model of this server.');
  try {
    // The state of the draft is not used.
    const { node } = buildRequest({ ...readDraft().draft, stateKind: 'text', images: [] });
    const questions = field(node, 'questions');
    if (questions === undefined) return new Error('Ask has no questions.');
    return makeLines(records, { ...choice, questions });
  } catch (error) {
    return error as Error;
  }
}

interface MappingFormProps {
  readonly columns: readonly string[];
  readonly choice: Choice;
  readonly onChoice: (choice: Choice) => void;
  readonly limits: Limits;
}

function MappingForm({ columns, choice, onChoice, limits }: MappingFormProps) {
  const { id, state, model } = choice;
  return (
    <div class="forms">
      <label>
        Id of a line (custom_id)
        <select
          value={id ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChoice({ ...choice, id: value === '' ? null : value })
          }
        >
          <option value="">numbered as in the file</option>
          {columns.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model
        <select
          value={model}
          onChange={({ currentTarget }) => onChoice({ ...choice, model: currentTarget.value })}
        >
          {limits.models.map((each) => (
            <option key={each.id}>{each.id}</option>
          ))}
        </select>
      </label>
      <fieldset class="checks">
        <legend>State: one column is a text, several are an object</legend>
        {columns.map((each) => (
          <label key={each} class="check">
            <input
              type="checkbox"
              checked={state.includes(each)}
              onChange={({ currentTarget: { checked } }) =>
                onChoice({
                  ...choice,
                  state: columns.filter((name) => (name === each ? checked : state.includes(name))),
                })
              }
            />
            {each}
          </label>
        ))}
      </fieldset>
    </div>
  );
}
