import { useMemo, useState } from 'preact/hooks';
import { ActionButton } from '../ui/action-button.js';
import { count, share, whole } from '../ui/format-values.js';
import { Distribution } from './distribution.js';
import { ERRORS, type ResultRow, type Results, type Selection, selectRows } from './shown-results.js';

/** Rows of the table that are drawn at once. */
const PAGE_ROWS = 50;
/** Questions of the menu: every line of a file may have questions of its own. */
const QUESTIONS_MAX = 64;

const ORDERS: ReadonlyArray<readonly [Selection['order'], string]> = [
  ['file', 'as in the file'],
  ['least sure', 'least confident first'],
  ['most sure', 'most confident first'],
];

interface ResultsTableProps {
  readonly results: Results;
  /** The states of the lines by their id; null: the file was not chosen. */
  readonly states: ReadonlyMap<string, string> | null;
}

/** The lines of a batch and their answers to one question, with the distribution of its answers. */
export function ResultsTable({ results, states }: ResultsTableProps) {
  const { rows, questions } = results;
  const [selection, setSelection] = useState<Selection>({
    question: questions[0] ?? '',
    value: null,
    order: 'file',
  });
  const [page, setPage] = useState(0);
  const select = (part: Partial<Selection>) => {
    setSelection((old) => ({ ...old, ...part }));
    setPage(0);
  };
  const selected = useMemo(() => selectRows(rows, selection), [rows, selection]);
  const failed = useMemo(() => rows.filter(({ error }) => error !== null).length, [rows]);
  const pages = Math.max(1, Math.ceil(selected.length / PAGE_ROWS));
  const { question, value, order } = selection;
  return (
    <>
      <div class="actions">
        <label class="inline">
          Question
          <select
            value={question}
            onChange={({ currentTarget }) => select({ question: currentTarget.value, value: null })}
          >
            {questions.slice(0, QUESTIONS_MAX).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="inline">
          Order
          <select
            value={order}
            onChange={({ currentTarget }) => select({ order: currentTarget.value as Selection['order'] })}
          >
            {ORDERS.map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {questions.length > QUESTIONS_MAX && (
        <p class="warning">
          The first {QUESTIONS_MAX} of {whole(questions.length)} questions can be shown here; the files that
          are saved have the answers to all of them.
        </p>
      )}
      <Distribution
        rows={rows}
        question={question}
        failed={failed}
        shown={value}
        onShow={(each) => select({ value: each })}
      />
      <p role="status" class="muted">
        {shownText(selected.length, rows.length, value)}
      </p>
      <Rows
        rows={selected.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS)}
        question={question}
        states={states}
      />
      {pages > 1 && (
        <div class="actions">
          <ActionButton off={page === 0} onClick={() => setPage(page - 1)}>
            Previous
          </ActionButton>
          <span>
            Page {whole(page + 1)} of {whole(pages)}
          </span>
          <ActionButton off={page === pages - 1} onClick={() => setPage(page + 1)}>
            Next
          </ActionButton>
        </div>
      )}
    </>
  );
}

function shownText(shown: number, all: number, value: string | null): string {
  if (value === null) return count(all, 'line');
  return `${whole(shown)} of ${count(all, 'line')}: ${value === ERRORS ? 'without an answer' : `answered ${value}`}`;
}

interface RowsProps {
  readonly rows: readonly ResultRow[];
  readonly question: string;
  readonly states: ReadonlyMap<string, string> | null;
}

function Rows({ rows, question, states }: RowsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with the keyboard
    <section class="scroll" tabIndex={0} aria-label="Lines">
      <table>
        <thead>
          <tr>
            <th scope="col">Line</th>
            {states !== null && <th scope="col">State</th>}
            <th scope="col" dir="auto">
              {question === '' ? 'Answer' : question}
            </th>
            <th scope="col" class="number">
              Confidence
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, answers, error }) => {
            const answer = answers.get(question);
            return (
              <tr key={id}>
                <td>
                  <code>{id}</code>
                </td>
                {states !== null && (
                  <td class="text" dir="auto">
                    {states.get(id) ?? '–'}
                  </td>
                )}
                <td dir="auto">
                  {answer?.value}
                  {error !== null && (
                    <span class={error.type === 'cancelled' ? 'muted' : 'warning'}>
                      <code>{error.type}</code> {error.message}
                    </span>
                  )}
                </td>
                <td class="number">{answer && share(answer.confidence)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
