import { useMemo, useState } from 'preact/hooks';
import type { OperatorResponses, OperatorWorkspace } from '../../../api/index.js';
import { whole } from '../../ui/format-values.js';
import { LoadNote } from '../../ui/loading.js';
import { Money } from '../../ui/money.js';
import { PagedTable } from '../../ui/paged-table.js';
import { AsOf, Sourced } from '../../ui/sourced.js';
import { useLoad } from '../../ui/use-load.js';
import { DayPlot } from '../../usage/day-plot.js';
import { barsOf } from '../../usage/days.js';
import { KeyLabel } from '../keys/key-label.js';
import type { OperatorApi } from '../operator-api.js';

interface UsagePanelProps {
  readonly api: OperatorApi;
  /** Its usage is loaded again when its charges have changed. */
  readonly workspace: OperatorWorkspace;
  readonly active: boolean;
}

/** The choices of days, with today. */
const DAYS = ['7', '30', '90', '366'] as const;

/** More days are too narrow to be told apart. */
const PLOT_DAYS_MAX = 90;

/** The charges by day as a plot; nothing without charges. */
function UsagePlot({
  usage: { from, to, usage, currency },
}: {
  readonly usage: OperatorResponses['showUsage'];
}) {
  const bars = useMemo(
    () =>
      barsOf(
        { from, to },
        usage.map((row) => ({ ...row, amount: Number(row.amount) })),
      ),
    [usage, from, to],
  );
  if (bars.length > PLOT_DAYS_MAX || !bars.some(({ sum }) => sum > 0)) return null;
  return <DayPlot bars={bars} currency={currency} />;
}

/** The requests, tokens and charges of a workspace by day, key, model and kind. */
export function UsagePanel({ api, workspace: { id, charged }, active }: UsagePanelProps) {
  const [days, setDays] = useState<string>('30');
  const { value, error, ...source } = useLoad(
    (signal) => api.call('showUsage', { id, query: { days }, signal }),
    active,
    [api, id, days, charged],
  );
  return (
    <section class="panel" aria-labelledby="usage-title">
      <div class="bar">
        <h2 id="usage-title">Usage</h2>
        <label class="inline">
          Days
          <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
            {DAYS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <AsOf source={source} />
      </div>
      <LoadNote value={value} error={error} />
      {value?.usage.length === 0 && (
        <p class="empty">
          Nothing was charged from {value.from} to {value.to}.
        </p>
      )}
      {value !== null && value.usage.length > 0 && (
        <Sourced source={source}>
          <UsagePlot usage={value} />
          <PagedTable
            key={days}
            what="row"
            label="Table of usage"
            rows={[...value.usage].reverse()}
            keyOf={({ day, key, model, kind }) => [day, key, model, kind].join(' ')}
            columns={[
              { title: 'Day', class: 'nowrap', cell: ({ day }) => day },
              { title: 'Key', cell: ({ key, key_name: name }) => <KeyLabel of={{ id: key, name }} /> },
              { title: 'Model', cell: ({ model }) => model },
              { title: 'Kind', cell: ({ kind }) => kind },
              { title: 'Requests', number: true, cell: ({ requests }) => whole(requests) },
              { title: 'Tokens', number: true, cell: ({ input_tokens: tokens }) => whole(tokens) },
              {
                title: 'Charged',
                number: true,
                cell: ({ amount }) => <Money amount={amount} currency={value.currency} />,
              },
            ]}
          />
        </Sourced>
      )}
    </section>
  );
}
