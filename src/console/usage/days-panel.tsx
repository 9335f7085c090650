import { useMemo, useState } from 'preact/hooks';
import type { Usage } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { Choice } from '../ui/choice.js';
import { csvFile } from '../ui/csv.js';
import { ErrorNote } from '../ui/error-note.js';
import { count, money, whole } from '../ui/format-values.js';
import { Money } from '../ui/money.js';
import { PagedTable } from '../ui/paged-table.js';
import { saveFile } from '../ui/save-file.js';
import { AsOf, Sourced } from '../ui/sourced.js';
import { useLoad } from '../ui/use-load.js';
import { DayPlot } from './day-plot.js';
import { barsOf, KINDS, modelsOf, type Selection, select, totalOf, type UsageRow } from './days.js';

const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;
type Range = (typeof RANGES)[number][0];

interface DaysPanelProps {
  readonly api: Api;
  readonly active: boolean;
  /** A change loads the usage again. */
  readonly loads: number;
}

/** What the key was charged by day: a plot and a table, for a range of days. */
export function DaysPanel({ api, active, loads }: DaysPanelProps) {
  const [range, setRange] = useState<Range>('30');
  const { value, error, reload, ...source } = useLoad(
    async (signal) => (await api.json<Usage>(`v1/usage?days=${range}`, { signal })).body,
    active,
    [api, range, loads],
  );
  return (
    <section class="panel" aria-labelledby="days-title">
      <div class="bar">
        <h2 id="days-title">Usage by day</h2>
        <AsOf source={source} />
        <Choice label="Range" options={RANGES} value={range} onChange={setRange} />
      </div>
      {error !== null && (
        <>
          <ErrorNote error={error} />
          <button type="button" onClick={reload}>
            Try again
          </button>
        </>
      )}
      {value === null && error === null && <p class="muted">Loading…</p>}
      {value !== null && (
        <Sourced source={source}>
          <Days usage={value} />
        </Sourced>
      )}
      <p class="muted">Charges of this key only. Days are UTC days.</p>
    </section>
  );
}

function Days({ usage }: { readonly usage: Usage }) {
  const [selection, setSelection] = useState<Selection>({ model: '', kind: '' });
  const { from, to, data, currency } = usage;
  const rows = useMemo(() => select(data, selection), [data, selection]);
  const bars = useMemo(() => barsOf(usage, rows), [usage, rows]);
  const total = totalOf(rows);
  return (
    <>
      {data.length > 0 && <Filters usage={usage} selection={selection} onSelect={setSelection} />}
      <p role="status">
        {rows.length === 0
          ? `Nothing was charged from ${from} to ${to}${data.length > 0 ? ' for this selection' : ''}.`
          : `${from} to ${to}: ${count(total.requests, 'request')}, ${count(total.input_tokens, 'token')}, ${money(total.amount, currency)}`}
      </p>
      {total.amount > 0 && <DayPlot bars={bars} currency={currency} />}
      {rows.length > 0 && (
        <button type="button" onClick={() => saveFile(csvFile(csvRows(rows)), `usage-${from}-${to}.csv`)}>
          Save as CSV
        </button>
      )}
      {rows.length > 0 && (
        <PagedTable
          key={`${from} ${selection.model} ${selection.kind}`}
          what="row"
          label="Table of usage by day"
          rows={[...rows].reverse()}
          keyOf={({ day, model, kind }) => [day, model, kind].join(' ')}
          columns={[
            { title: 'Day', class: 'nowrap', cell: ({ day }) => day },
            { title: 'Model', class: 'nowrap', cell: ({ model }) => model },
            { title: 'Kind', class: 'nowrap', cell: ({ kind }) => kind },
            {
              title: 'Charged',
              number: true,
              cell: ({ amount }) => <Money amount={amount} currency={currency} />,
            },
            { title: 'Requests', number: true, cell: ({ requests }) => whole(requests) },
            { title: 'Tokens', number: true, cell: ({ input_tokens: tokens }) => whole(tokens) },
          ]}
        />
      )}
    </>
  );
}

const csvRows = (rows: readonly UsageRow[]): Array<Array<string | number>> => [
  ['day', 'model', 'kind', 'amount', 'requests', 'input_tokens'],
  ...rows.map(({ day, model, kind, amount, requests, input_tokens: tokens }) => [
    day,
    model,
    kind,
    amount,
    requests,
    tokens,
  ]),
];

interface FiltersProps {
  readonly usage: Usage;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
}

function Filters({ usage, selection, onSelect }: FiltersProps) {
  const { model, kind } = selection;
  // A model that was chosen stays a choice when the range changes.
  const models = [...new Set([...modelsOf(usage.data), ...(model === '' ? [] : [model])])];
  return (
    <div class="actions">
      <label class="inline">
        Model
        <select
          value={model}
          onChange={({ currentTarget }) => onSelect({ kind, model: currentTarget.value })}
        >
          <option value="">all</option>
          {models.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <Choice
        label="Kind"
        options={[['', 'All'], ...KINDS]}
        value={kind}
        onChange={(each) => onSelect({ model, kind: each })}
      />
    </div>
  );
}
